// When all lanes add the same value at the same address, the compiler lets one lane do it for all.
#pragma once

#include "sim/timing/plan/divergence.hpp"

namespace warpsim::timing {

/// Marks them (`MachineInstruction::gathered`). For the hardware of this compute capability (90 for 9.0).
void gather_atomics(MachineFunction& m, Divergence const& divergence, int capability);

/// The micro-ops around the atomic: which lane is the first active one, and how many are active; then each lane's
/// result.
void add_gathering(MachineFunction const& m, std::uint32_t i, bool before, std::vector<MicroOp>& out);

}  // namespace warpsim::timing
