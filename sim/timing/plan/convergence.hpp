// The instructions that the hardware's compiler inserts where lanes of a warp may diverge and reconverge: BSSY
// sets up a convergence barrier with the active lanes, BSYNC waits there.
#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/divergence.hpp"

#include <vector>

namespace warpsim::timing {

/// Counts these in `MachineInstruction::convergence`, for the hardware of this compute capability (90 for 9.0).
/// Needs the results of clean_up(). Returns per block whether lanes may come there one after the other although they were to meet
/// before: behind loops that yield, and behind paths with a barrier.
std::vector<bool> add_convergence(MachineFunction& m, ir::DominatorTree const& dominators,
                                  Divergence const& divergence, int capability);

}  // namespace warpsim::timing
