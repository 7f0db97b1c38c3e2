// The instructions that the hardware's compiler inserts where lanes of a warp may diverge and reconverge: BSSY
// sets up a convergence barrier with the active lanes, BSYNC waits there.
#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/divergence.hpp"

#include <vector>

namespace warpsim::timing {

/// Counts these in `MachineInstruction::convergence`, for the hardware of this compute capability (90 for 9.0), and marks
/// instructions that have to ask whether all lanes have come (check_lanes()). Needs the results of clean_up().
void add_convergence(MachineFunction& m, ir::DominatorTree const& dominators, Divergence const& divergence,
                     int capability);

}  // namespace warpsim::timing
