// Loops whose first iteration a compiler puts in front of them.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <vector>

namespace warpsim::timing {

/// Per block: it is a loop that is left for somewhere that does not follow, with nothing but the jump back behind it. Whatever
/// its size, ptxas 13.0 turns such a loop round, so that its first iteration stands in front of it. For the hardware of this
/// compute capability (90 for 9.0).
std::vector<bool> find_peeled_loops(MachineFunction const& m, GuardedPaths const& paths, int capability);

}  // namespace warpsim::timing
