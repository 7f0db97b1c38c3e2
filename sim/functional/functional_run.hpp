// Runs a launch at host speed: clusters of CTAs in parallel on host threads, in linear order of starting.
#pragma once

#include "sim/exec/fault.hpp"
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

/// A launch between two turns, on one host thread, with all that it changes. Copies go on alike, one after the other
/// on the same device.
struct Snapshot {
    Schedule::Standing standing;
    std::vector<std::unique_ptr<Cluster const>> clusters;  // that have begun, in the order of their turns
    OpCounters counters;
    std::vector<std::uint64_t> sm_clocks;
    struct Range {
        std::uint64_t begin;
        std::vector<std::byte> bytes;
    };
    std::vector<Range> memory;  // all that is allocated
};
/// Runs a launch for `turns` turns of clusters; none: it has ended by then. Throws Fault, and Error(launch) for a
/// kernel that uses the device's heap, which is not part of a snapshot.
std::optional<Snapshot> run_for(LaunchContext const& launch, FunctionalOptions const& options, std::uint64_t turns,
                                LaunchStatistics& statistics);
/// Puts everything back as it was, memory included, and runs the launch to its end.
void run_from(Snapshot const& snapshot, LaunchContext const& launch, FunctionalOptions const& options,
              LaunchStatistics& statistics);

}  // namespace warpsim::sim
