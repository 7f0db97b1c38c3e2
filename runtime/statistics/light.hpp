// How near a timed launch came to what its GPU can do, and what kept it from more.
#pragma once

#include "sim/config/config.hpp"
#include "sim/statistics.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::statistics {

/// What the caches of a GPU can move in a core cycle, all together; 0: not modelled.
struct Peaks {
    double l1_bytes_per_cycle = 0, l2_bytes_per_cycle = 0;
    std::string compute_capability;  // "9.0"
};
Peaks peaks_of(sim::Config const& config);

/// Shares of the peak over all of the launch's cycles and SMs, as "speed of light" of a profiler: of the busiest part
/// on either side.
struct SpeedOfLight {
    double sm = 0, memory = 0;
    std::string sm_by, memory_by;  // which part that is: "issue", "fma", "L2", "DRAM"
    std::optional<double> l1, l2, dram;
};
SpeedOfLight speed_of_light(sim::TimingCounts const& counts, Peaks const& peaks);

/// The reasons for which warps waited with their shares of all waiting, the longest first; those that were ready and not
/// chosen did not wait.
std::vector<std::pair<std::string, double>> waits(sim::TimingCounts const& counts);

/// In a few words what limits it: "DRAM, at 83 % of its peak", or "latency" where nothing is busy.
std::string limit(sim::TimingCounts const& counts, Peaks const& peaks);

/// Adds another launch of the kernel.
void add_launch(sim::TimingCounts& sum, sim::TimingCounts const& launch);

}  // namespace warpsim::statistics
