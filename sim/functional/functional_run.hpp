// Runs a launch at host speed: clusters of CTAs in parallel on host threads, in linear order of starting.
#pragma once

#include "sim/exec/interpreter.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/functional/schedule.hpp"
#include "sim/statistics.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace warpsim::sim {

struct FunctionalOptions {
    int threads = 0;                      // host threads; 0: all cores
    std::uint64_t resident_ctas = 1;      // at most so many are started and unfinished
    bool cooperative = false;             // all CTAs are resident, and go on together
    std::uint64_t max_instructions = 0;   // warp instructions; 0: no limit
    std::uint64_t turn_instructions = 0;  // of a warp before others go on; 0: as long as is fast
    /// How long a grid that goes in circles may wait for the host to write what it looks at, before that is a
    /// deadlock.
    double host_wait_seconds = 0;
    /// Who listens to what a host thread runs; they are asked for in order. A single thread sees all in order. Null:
    /// nobody.
    std::function<EventSinks(int thread)> sinks;
    std::function<void(double)> progress;  // share of CTAs done; one call at a time, from any of the threads
};

/// Runs all CTAs of the launch and adds what they counted to `statistics`. Throws Fault.
void run_functional(LaunchContext const& launch, FunctionalOptions const& options, LaunchStatistics& statistics);

}  // namespace warpsim::sim
