// Integer divisions that need the reciprocal of one divisor.
#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// A quotient or remainder of 32 bits first makes the reciprocal of its divisor, which is more than half of its work. Marks
/// those that find it made already: by an earlier division on every path, or in front of the loop that the divisor does not
/// change in.
void share_reciprocals(MachineFunction& m, Definitions const& d, ir::DominatorTree const& dominators);

}  // namespace warpsim::timing
