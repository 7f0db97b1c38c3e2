// Values that a block computes although a block before it, on every way to it, has them already.
#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// Removes what computes them again: their registers get the one that holds the value as root.
void join_common_values(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators);

}  // namespace warpsim::timing
