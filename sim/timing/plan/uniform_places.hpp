// Which operands of vector instructions may be uniform registers: ptxas 13.0 keeps a value in one if all that read it can.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

namespace warpsim::timing {

/// Reads a clock of 32 bits.
bool reads_clock_of_32_bits(MachineFunction const& m, std::uint32_t i);

/// Of a register that no instruction reads although its value is used: whether a constant of the bank rather than a number.
bool is_in_bank(MachineFunction const& m, std::uint32_t reg);

/// The instruction, which computes for each lane or copies, has a place where it can read the value from a uniform register, on
/// hardware of this compute capability (90 for 9.0).
bool has_place_for_uniform(MachineFunction const& m, std::uint32_t i, std::uint32_t reg, int capability);

}  // namespace warpsim::timing
