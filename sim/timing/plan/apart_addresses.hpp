// Addresses of shared memory that are a known distance apart, such as those of one element in several arrays: one register, and the
// distance in the accesses. From 9.0 on only in one variable.
#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// Removes the sums that nothing needs then, and lets their accesses be held by the register of an earlier one. For the
/// hardware of this compute capability (90 for 9.0).
void join_apart_addresses(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators, int capability);

}  // namespace warpsim::timing
