// Values of 16 and 8 bits: registers have 32, and hold more than one of them, or one and something above it.
#pragma once

#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// How many of the lower bits of its register may be other than zero; what stands above a value of 16 bits counts.
unsigned value_bits(MachineFunction const& m, Definitions const& d, ir::Operand const& o);

/// A conversion of integers that leaves the register as it is: between signs; to fewer bits, since what reads these ignores what stands
/// above them, or asks for an extension; to more, of a value that is extended already.
bool changes_nothing(MachineFunction const& m, Definitions const& d, std::uint32_t i);
/// A mask of bits all of which may stay.
bool masks_nothing(MachineFunction const& m, Definitions const& d, std::uint32_t i);

/// Instructions that prepare operands: those that extend 16 bits to the registers' width for comparisons, limits, products and shifts to
/// the right, and those that pack what a store of a vector takes.
std::uint8_t count_extensions(MachineFunction const& m, Definitions const& d, std::uint32_t i, int capability);

/// Which values share a register: elements of narrow vectors, and halves that are taken apart for what selects one itself (HFMA2's
/// .H1_H1, I2F's .B1). What packs two conversions is their instruction from 8.0 on (F2FP). After copies, before fold().
void share_registers(MachineFunction& m, Definitions& d, int capability);

}  // namespace warpsim::timing
