#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/machine_function.hpp"

namespace warpsim::timing {

/// What no instruction of the PTX says, as `prologue` of those behind it. A kernel begins with a move to the stack pointer; from compute
/// capability 8.0 on, accesses to global memory name a descriptor in uniform registers, which is loaded first. From 9.0 on shared
/// memory begins at an address that depends on the CTA's rank in its cluster: three instructions compute it, again wherever no block on
/// all ways there has, and in front of loops.
void add_prologue(MachineFunction& m, ir::DominatorTree const& dominators, int capability);

}  // namespace warpsim::timing
