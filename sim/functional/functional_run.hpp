// Runs a launch at host speed: clusters of CTAs in parallel on host threads, in linear order of starting.
#pragma once

#include "sim/exec/interpreter.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/functional/schedule.hpp"
#include "sim/functional/spare_cluster.hpp"
#include "sim/launch_progress.hpp"
#include "sim/statistics.hpp"
#include "sim/stop_request.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace warpsim::sim {

struct FunctionalOptions {
    int threads = 0;                      // host threads; 0: all cores
    std::uint64_t resident_ctas = 1;      // at most this many are started and unfinished
    bool cooperative = false;             // all CTAs are resident, and make progress together
    std::uint64_t max_instructions = 0;   // warp instructions; 0: no limit
    std::uint64_t turn_instructions = 0;  // of a warp before others run; 0: chosen for speed
    /// How long a spinning grid may wait for the host to change what it reads, before that is reported as a
    /// deadlock.
    double host_wait_seconds = 0;
    /// Called now and then while it does, from any of the threads. Null: nobody wants to know.
    std::function<void()> waits_for_host;
    StopRequest const* stop = nullptr;  // null: nobody ends the launch
    /// The sinks for what a host thread runs, requested in the order of threads. A single thread reports
    /// everything in order. Null: none.
    std::function<EventSinks(int thread)> sinks;
    /// Called with what has been counted of each instruction, also when the launch fails. Null: nobody wants to know.
    std::function<void(std::span<ExecutionCount const>)> counted;
    ProgressHook progress;          // null: nobody wants to know
    SpareCluster* spare = nullptr;  // of the kernel; null: nothing is kept
    /// Only these clusters; the others behind them, too, if these wait for them.
    std::uint64_t first = 0, most = UINT64_MAX;
};

/// Runs the CTAs of the launch and adds what they counted to `statistics`. Returns the number behind the last cluster that
/// it has run. Throws Fault.
std::uint64_t run_functional(LaunchContext const& launch, FunctionalOptions const& options,
                             LaunchStatistics& statistics);

}  // namespace warpsim::sim
