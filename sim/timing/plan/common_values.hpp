// Values that a block computes although an earlier block, on every path to it, has computed them already.
#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// Removes the repeated computations: the root of their registers becomes the register that holds the value.
bool join_common_values(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators);

}  // namespace warpsim::timing
