// The shape of a launch, its arguments, and what it reports.
#pragma once

#include "sim/launch_progress.hpp"
#include "sim/statistics.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsim::sim {
class EventSink;
struct StopRequest;
}  // namespace warpsim::sim

namespace warpsim::runtime {

struct CapturedLaunch;

enum class Mode : std::uint8_t { functional, timing };

/// Registers of a thread, by the names of kernels.
using RegisterCounts = std::map<std::string, std::uint32_t, std::less<>>;

/// How functional mode executes. `automatic` interprets, and makes native code of kernels that run for long.
enum class Engine : std::uint8_t { automatic, interpreted, compiled };

class LaunchRunner;
class PartSinks;
struct ChildRequest;
class HostConflicts;
struct WorkOrder;

/// A run in timing mode that is kept in a file, from which another process goes on, with any number of host threads: it does
/// all the same up to there, but launches that had ended return their results at once, and have not changed memory: what is in
/// memory comes back with the launch that was under way. Of Device::launch() only.
struct CheckpointOptions {
    std::string file;                // written now and then, and before launches are stopped; empty: never
    std::uint64_t every_cycles = 0;  // of the GPU; 0: every ten minutes
    std::string resume;              // the file to go on from; empty: from the beginning
    /// What must be the same in both processes, beside what the device knows: a name for messages, and what it is.
    std::vector<std::pair<std::string, std::string>> identity;
    std::function<void(std::string const& file)> written;  // called each time; null: nobody wants to know
};

struct DeviceOptions {
    Mode mode = Mode::functional;
    Engine engine = Engine::automatic;
    /// Engine::compiled: how long launches of a kernel wait, altogether, for its code; those behind go on interpreted meanwhile.
    std::chrono::nanoseconds longest_compile_wait = std::chrono::seconds(10);
    int threads = 0;                     // host threads; 0: all cores; 1 is reproducible to the bit
    std::uint64_t max_instructions = 0;  // warp instructions per launch; 0: no limit
    /// Warp instructions before other warps and CTAs go on, at the next backward branch or call: short turns
    /// interleave them more finely, which tests want. 0: as long as is fast.
    std::uint64_t turn_instructions = 0;
    /// How long a grid that only polls memory may wait for the host to write to it, before that is a deadlock;
    /// functional mode.
    double host_wait_seconds = 0;
    bool register_sharing = true;
    RegisterCounts registers = {};  // of a thread of kernels, as machine code takes them that is not at hand
    /// The folder in which decoded modules are kept between runs, and how many bytes of them; empty: they are not.
    std::string cache_folder;
    std::uint64_t cache_bytes = std::uint64_t{1} << 30;
    bool memory_statistics = false;  // count sectors and bank conflicts
    // Timing mode, for tests that show that neither changes anything.
    std::uint64_t timing_permutation_seed = 0;  // of the order in which SMs and memory partitions run; 0: none
    std::uint32_t timing_epoch_divisor = 1;     // epochs so much shorter than they may be
    bool profile = false;                       // timing: counts and stalls of each instruction
    std::uint64_t interval_cycles = 0;          // timing: a sample every so many cycles; 0: none
    /// Called with what a launch has counted that a fault or a stop has ended, and that nobody else is told of.
    std::function<void(sim::LaunchStatistics const&)> launch_stopped;
    /// Called with each launch that is watched, after its end, and with all that it takes to repeat it. Null: none is captured.
    std::function<void(CapturedLaunch const&)> captured;
    bool hashes_modules = false;  // for LaunchStatistics::module_sha256
    /// Called when a grid that a kernel launched has ended, from the thread that called Device::launch().
    std::function<void(sim::LaunchStatistics const&)> child_launched;
    // What kernels are told that ask.
    int ordinal = 0, devices = 1;
    std::function<int(int)> attribute;  // of the device, by CUDA's numbers
    /// Called with one line per executed warp instruction, by number or by cycle and SM; null: no trace.
    std::function<void(std::string_view)> trace;
    std::string trace_filter;  // as TraceFilter reads it
    /// Who is told of everything that happens on the device. Launches that are listened to from inside run on one host
    /// thread; without a clock all comes in order, in timing mode SM after SM in each epoch.
    std::vector<std::shared_ptr<sim::EventSink>> sinks;
    /// ... and who makes listeners of launches that run on many threads, see runtime/part_sinks.hpp.
    std::vector<std::shared_ptr<PartSinks>> part_sinks;
    /// Whether sinks hear of what happens inside of a launch; asked once for each, in the order of launches. Null: of all.
    std::function<bool(std::string_view kernel)> watches;
    /// In timing mode: whether a launch is timed, asked once for each launch of the host, in their order. Others run as in
    /// functional mode, at once, and take no time. Null: all are.
    std::function<bool(std::string_view kernel)> times;
    /// In timing mode: CTAs, and launches of kernels that were timed before, are left out of timing when the rest says enough
    /// of them. 0: none are; else the relative error of a launch's cycles that is wanted, with 95 % confidence.
    double sample_error = 0;
    /// What launches that are not timed have accessed last is in L2 for the next one that is. They are interpreted by one
    /// thread then.
    bool warms_caches = false;
    /// Sinks that want it are told of a load, store or atomic that would be a fault, and the thread goes on without it: a
    /// load gives 0.
    bool drop_bad_accesses = false;
    /// Called in functional mode when work of a stream begins, with what it follows; null: nobody asks.
    std::function<void(WorkOrder const&)> work_begins;
    /// Asked about accesses of the host in functional mode, if work_begins is there; null: nobody knows.
    std::shared_ptr<HostConflicts> host_conflicts;
    /// Called in functional mode, now and then and from any host thread, while a launch waits for the host to write to memory.
    std::function<void()> waits_for_host;
    /// Called in functional mode before a grid that a kernel has launched begins; null: nobody asks.
    std::function<void(ChildRequest const&)> child_begins;
    /// ... before and, with null, after a copy or a fill that a kernel has asked for.
    std::function<void(ChildRequest const*)> child_moves;
    /// Called with what a launch printed, when it has ended; null: it goes to the standard output.
    std::function<void(std::string_view)> print;
    /// Carries out the launches of functional mode, all on the thread of the caller, and takes part in those of timing mode.
    /// Null: the engine does it alone.
    std::shared_ptr<LaunchRunner> runner;
    /// Launches end with a fault once it is made; the device can be used no more. Null: nobody asks for it.
    std::shared_ptr<sim::StopRequest const> stop;
    /// Called while launches run. Null: nobody wants to know.
    sim::ProgressHook progress;
    /// Timing mode: the run is kept in a file.
    CheckpointOptions checkpoint;
};

struct LaunchShape {
    std::array<std::uint32_t, 3> grid{1, 1, 1};     // CTAs; clusters of a kernel under .blocksareclusters
    std::array<std::uint32_t, 3> block{1, 1, 1};    // threads of a CTA
    std::uint32_t dynamic_shared = 0;               // bytes
    std::array<std::uint32_t, 3> cluster{0, 0, 0};  // CTAs of a cluster; 0: none given, as the kernel says
    bool non_portable_cluster = false;  // up to the configuration's limits.max_cluster_size_non_portable
    bool cooperative = false;           // all CTAs are resident at once and may wait for each other
    /// Addresses outside of the device's memory are the process's own: used as they are, and a fault of the host
    /// there is the kernel's. For callers that pass plain pointers; functional mode only.
    bool host_trust = false;
};

/// A kernel's parameter block, built argument by argument: each is placed at its natural alignment.
class Arguments {
public:
    Arguments() = default;
    /// Values of plain types, in the order of the kernel's parameters; a device pointer is a std::uint64_t.
    template <class... T> static Arguments of(T const&... values) {
        Arguments a;
        (a.add(values), ...);
        return a;
    }
    template <class T> void add(T const& value) { add_bytes(&value, sizeof(T), alignof(T)); }
    void add_bytes(void const* value, std::size_t size, std::size_t alignment) {
        std::size_t const at = (bytes_.size() + alignment - 1) / alignment * alignment;
        bytes_.resize(at + size);
        std::memcpy(bytes_.data() + at, value, size);
    }
    /// Puts a value at a byte offset of the block, as a kernel's parameter list gives it.
    void place(std::size_t offset, void const* value, std::size_t size) {
        if (bytes_.size() < offset + size) bytes_.resize(offset + size);
        std::memcpy(bytes_.data() + offset, value, size);
    }
    std::vector<std::byte> const& bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

using LaunchResult = sim::LaunchStatistics;

}  // namespace warpsim::runtime
