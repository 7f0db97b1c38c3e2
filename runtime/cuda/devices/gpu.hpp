// One simulated device as CUDA sees it: the device, what is submitted to it, and how it failed.
#pragma once

#include "runtime/cuda/core/errors.hpp"
#include "runtime/cuda/devices/queue.hpp"
#include "runtime/cuda/devices/stream.hpp"
#include "runtime/device.hpp"
#include "runtime/session/session.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::cuda {

class Gpu {
public:
    Gpu(int ordinal, sim::Config const& config, runtime::DeviceOptions const& options, runtime::Session& session,
        std::string fault_marker);

    int const ordinal;
    runtime::Device device;
    Queue queue;
    Stream legacy{*this};   // the default stream
    bool is_eager = false;  // the kernels of a module are planned as soon as it is loaded
    /// Limits that change nothing here, by number: what a program has set is what it reads.
    std::array<std::atomic<std::uint64_t>, 7> hints{0, 0, 0, 2, 2048, 64, 0};

    /// Throws the failure that made this device unusable, if one did.
    void check() const;
    /// Submits a task that may throw Error: a fault makes the device fail, and later tasks are not done.
    void submit(Stream& stream, std::function<void()> task, Queue::Condition condition = {});
    /// Does it in its turn, waits, and throws the device's failure.
    void run(Stream& stream, std::function<void()> task);
    void wait(Stream& stream);
    void wait_all();
    /// Submits a launch.
    void launch(Stream& stream, std::shared_ptr<runtime::Module> module, std::string kernel,
                runtime::LaunchShape const& shape, runtime::Arguments arguments);
    /// Runs a launch now, in the calling thread, which has the queue's turn. Throws Error.
    void execute(runtime::Module& module, std::string_view kernel, runtime::LaunchShape const& shape,
                 runtime::Arguments const& arguments);
    void record(std::shared_ptr<Event> event, Stream& stream);
    /// Waits until what was recorded last is reached.
    void wait_for(Event& event);
    /// Forgets the failure; what was on the device stays.
    void reset() { failure_ = Result::success; }
    /// Simulated time in timing mode, where only kernels take time; the host's otherwise.
    std::uint64_t now_ns() const;

private:
    void note(runtime::LaunchResult const& result);
    runtime::DeviceOptions with_own(runtime::DeviceOptions options);
    void attempt(std::function<void()> const& task);
    void fail(std::string const& report, Result result);

    runtime::Session& session_;
    std::string fault_marker_;
    bool const is_timed_;
    std::atomic<std::uint64_t> simulated_ns_{0};
    std::atomic<Result> failure_{Result::success};
};

/// The devices of a process, by their numbers.
using Gpus = std::vector<std::unique_ptr<Gpu>>;

}  // namespace warpsim::cuda
