// Addresses of shared memory that are a known distance apart, such as those of one element in several arrays: one register, and the
// distance in the accesses.
#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// Removes the sums that nothing needs then, and lets their accesses be held by the register of an earlier one.
void join_apart_addresses(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators);

}  // namespace warpsim::timing
