// What a compiler for the hardware removes or folds: copies, constants, unused values, sums that an address or
// another sum absorbs, products used by sums. The PTX instructions remain; they only cost nothing.
#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/unroll.hpp"

namespace warpsim::timing {

/// Decides the fate of every instruction, for the hardware of this compute capability (90 for 9.0), and fills
/// `machine_reads` and `machine_writes`.
void clean_up(MachineFunction& m, std::vector<UnrolledLoop> const& loops, ir::DominatorTree const& dominators,
              int capability);

}  // namespace warpsim::timing
