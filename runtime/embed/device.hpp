// A device for programs that embed the simulator and want to know what each launch did: the launch's statistics, what its
// lines did, what the checkers found in it. What is returned can outlive the device.
#pragma once

#include "runtime/check/checkers.hpp"
#include "runtime/check/fault_recorder.hpp"
#include "runtime/device.hpp"
#include "runtime/embed/launch.hpp"
#include "runtime/embed/stream.hpp"
#include "sim/stop_request.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::embed {

struct Options {
    std::string config{sim::default_config_name};  // its name or file
    std::vector<std::string> overrides;            // KEY=VALUE
    std::string mode = "functional", engine = "auto";
    int threads = 0;                     // of the host; 0: one for each core
    std::uint64_t max_instructions = 0;  // warp instructions of a launch; 0: no limit
    std::uint64_t interval_cycles = 0;   // timing: of samples in the statistics; 0: none
    bool lines = false;                  // what each line did
    bool steps = false;                  // the instructions of the first warps of small launches, for pages
    std::string check;                   // checkers, as --check names them; empty: none
    std::string suppressions;            // a file; empty: none
};

/// All functions may be called from any thread; launches come one at a time.
class Device {
public:
    /// Throws Error(config) and Error(usage).
    explicit Device(Options const& options);
    ~Device();
    Device(Device const&) = delete;
    Device& operator=(Device const&) = delete;

    About const& about() const { return *about_; }
    /// The configuration with its overrides, as JSON.
    std::string const& config() const { return about_->session.config_effective; }
    runtime::Device& device() { return *device_; }

    /// Reads and links PTX texts. `sources` are texts of sources by the names that the PTX has for them, for pages.
    std::shared_ptr<runtime::Module> load(std::vector<runtime::PtxText> const& texts, lines::Texts sources,
                                          runtime::LoadOptions const& options);
    /// Runs one kernel to its end, when all streams are done. Throws Error(launch), and Fault.
    std::shared_ptr<Launch const> launch(std::shared_ptr<runtime::Module> const& module, std::string_view kernel,
                                         runtime::LaunchShape const& shape, runtime::Arguments const& arguments);
    /// Copies wait for all streams. All throw Error(launch), and Fault of what they wait for.
    void write(runtime::DevicePointer to, void const* from, std::size_t bytes);
    void read(void* to, runtime::DevicePointer from, std::size_t bytes);
    /// Between two places of the device's memory, which may overlap.
    void copy(runtime::DevicePointer to, runtime::DevicePointer from, std::uint64_t bytes);
    /// When no stream has work any more that might use it.
    void free(runtime::DevicePointer pointer);

    std::shared_ptr<Stream> make_stream(int priority);
    /// A launch in a stream. Throws Error(launch), and in functional mode Fault.
    std::shared_ptr<Work> submit(Stream& stream, Queue::Order const& order);
    /// Copies in a stream: the bytes of `from` are taken now, `to` has to be there until it is over.
    std::shared_ptr<Work> submit_write(Stream& stream, runtime::DevicePointer to, void const* from,
                                       std::size_t bytes);
    std::shared_ptr<Work> submit_read(Stream& stream, void* to, runtime::DevicePointer from, std::size_t bytes);
    std::shared_ptr<Work> submit_copy(Stream& stream, runtime::DevicePointer to, runtime::DevicePointer from,
                                      std::size_t bytes);
    std::shared_ptr<Work> record(Stream& stream);
    void wait(Stream& stream, std::shared_ptr<Work> const& point);
    /// Goes on until that work is over, or all is. Throws Fault.
    void finish(Work const& work);
    void finish_all();
    /// Whether no stream has work that is not over.
    bool is_idle() const { return is_idle_.load(); }

    /// From another thread: the launch that is under way ends with a fault; the next begins as if nothing had been.
    void interrupt();

    /// What kernels have printed since the last call.
    std::string take_output();
    /// What the checkers have found since the last call that belongs to no launch: by reads of the host.
    std::vector<check::Finding> take_findings();
    bool is_checked() const { return checkers_ != nullptr; }

private:
    class CurrentSteps;
    struct Heard {  // of the launch that is under way
        std::vector<sim::LaunchStatistics> stopped, children;
    };
    class Operation;
    std::shared_ptr<Launch> launch_of(sim::LaunchStatistics counts);
    std::shared_ptr<Launch> launch_now(Stream* stream, Queue::Order const& order);
    void guard(std::function<void()> const& work);
    void copy_now(runtime::DevicePointer to, runtime::DevicePointer from, std::uint64_t bytes);
    void check_allocated(runtime::DevicePointer at, std::uint64_t bytes) const;
    void settle_idle();

    std::shared_ptr<About> const about_ = std::make_shared<About>();
    std::shared_ptr<sim::StopRequest> const stop_ = std::make_shared<sim::StopRequest>();
    std::unique_ptr<check::Checkers> checkers_;
    std::shared_ptr<check::FaultRecorder> const faults_ = std::make_shared<check::FaultRecorder>();
    std::shared_ptr<lines::LineCounts> lines_;
    std::shared_ptr<CurrentSteps> steps_;
    std::mutex launching_;  // held by the operation that is under way
    std::atomic<bool> is_idle_{true};
    Heard heard_;
    std::mutex mutex_;  // guards the next
    std::string output_;
    std::vector<check::Finding> host_findings_;
    std::map<std::string, std::shared_ptr<lines::Texts const>> texts_;  // that modules were given, by their hashes
    std::vector<runtime::DevicePointer> unused_;  // memory to be freed when no stream has work
    std::unique_ptr<runtime::Device> device_;     // goes before the others, as it tells them
    std::unique_ptr<Queue> queue_;
};

}  // namespace warpsim::embed
