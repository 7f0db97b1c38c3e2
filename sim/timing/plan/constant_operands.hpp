// Which constants an instruction can name itself, and which need a register.
#pragma once

#include "frontend/ir/analysis/dominators.hpp"
#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// An instruction names one constant, immediate or in the constant bank; memory operations take addresses and data
/// from registers. Marks the constants that need a register, and counts the moves that put them there. From
/// compute capability 9.0 on (`capability` 90), 64-bit constants of the bank are loaded into registers, others
/// into uniform ones.
void keep_constants(MachineFunction& m, Definitions& d, ir::DominatorTree const& dominators, int capability);

}  // namespace warpsim::timing
