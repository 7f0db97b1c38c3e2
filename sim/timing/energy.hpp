// The energy of a launch, estimated from what it counted.
#pragma once

#include "sim/config/config.hpp"
#include "sim/timing_statistics.hpp"

namespace warpsim::timing {

/// Of everything that is counted and of the time that it took; nothing where the configuration has no figures.
sim::EnergyCounts estimate_energy(sim::Config const& config, sim::TimingCounts const& counts);

}  // namespace warpsim::timing
