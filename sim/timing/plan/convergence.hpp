// What the hardware's compiler puts where the lanes of a warp may part and meet again: a note of who parts (BSSY),
// and where they wait for one another (BSYNC).
#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/divergence.hpp"

namespace warpsim::timing {

/// Counts them in `MachineInstruction::convergence`. For the hardware of this compute capability (90 for 9.0).
/// Needs what clean_up() fills in.
void add_convergence(MachineFunction& m, ir::DominatorTree const& dominators, Divergence const& divergence,
                     int capability);

}  // namespace warpsim::timing
