// Runs launches cycle by cycle on all SMs, slices and channels of the configured GPU.
#pragma once

#include "sim/events.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/launch_progress.hpp"
#include "sim/statistics.hpp"
#include "sim/stop_request.hpp"
#include "sim/timing/plan/machine_kernel.hpp"
#include "sim/timing/sampler.hpp"
#include "sim/timing_statistics.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpsim::timing {

class GpuObserver;

/// Options of a GPU.
struct GpuOptions {
    int threads = 1;                     // host threads: nothing but the wall time depends on them
    double host_wait_seconds = 0;        // how long a livelock may last, as grids may wait for the host
    std::uint32_t epoch_divisor = 1;     // of the longest possible epoch; for tests
    std::uint64_t permutation_seed = 0;  // of the order in which SMs and partitions run; for tests
    GpuObserver* observer = nullptr;     // outlives the GPU; null: nobody looks at its cycles
};

/// Options of a launch.
struct TimingOptions {
    std::uint64_t max_instructions = 0;  // PTX warp instructions; 0: no limit
    std::uint32_t registers_per_thread = 0;
    sim::StopRequest const* stop = nullptr;  // null: nobody ends the launch
    int priority = 0;                        // CTAs of grids with a higher one begin first
    sim::ProgressHook progress;              // null: nobody wants to know
    bool profile = false;                    // count by instruction
    bool code_is_warm = false;               // the SMs find the kernel's code in their caches
    std::uint64_t interval_cycles = 0;       // length of a sample; 0: no samples
    Sampling sampling;                       // which CTAs are timed
    /// The listeners of an SM; with several host threads, SMs run in parallel. Null: none.
    std::function<sim::EventSinks(std::uint32_t sm)> sinks;
    std::function<void()> epoch_ended;  // called when all effects of an epoch have happened; may be null
};

/// What timing mode cannot do of the configuration, one line each; empty: nothing.
std::vector<std::string> timing_obstacles(sim::Config const& config);

class Gpu;

/// Runs all CTAs of the launch, which is one of `kernel.kernel`, on a GPU with nothing else in flight, and adds
/// its counts. Throws sim::Fault.
void run_timing(Gpu& gpu, MachineKernel const& kernel, sim::LaunchContext const& launch,
                TimingOptions const& options, sim::LaunchStatistics& statistics, sim::TimingCounts& counts);

}  // namespace warpsim::timing
