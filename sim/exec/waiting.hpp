// Which threads wait for what, for reports of deadlocks.
#pragma once

#include "sim/exec/warp.hpp"

#include <string>

namespace warpsim::sim {

/// One line for each warp split of the cluster that waits or spins.
std::string describe_waiting(LaunchContext const& launch, Cluster const& cluster);

}  // namespace warpsim::sim
