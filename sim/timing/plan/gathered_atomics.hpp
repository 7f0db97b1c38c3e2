// Additions of the same value to the same place by all lanes: the compiler lets one lane do them at once.
#pragma once

#include "sim/timing/plan/divergence.hpp"

namespace warpsim::timing {

/// Marks them (`MachineInstruction::gathered`). For the hardware of this compute capability (90 for 9.0).
void gather_atomics(MachineFunction& m, Divergence const& divergence, int capability);

/// The micro-ops around the one that changes memory: who is active and first, how many; and what each lane gets.
void add_gathering(MachineFunction const& m, std::uint32_t i, bool before, std::vector<MicroOp>& out);

}  // namespace warpsim::timing
