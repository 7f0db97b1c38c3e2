// Which bank of the register file each value should be in: operands of one instruction are read together if they are in
// different banks, of which there are two since Volta, for even and for odd registers.
#pragma once

#include "sim/timing/plan/values.hpp"

namespace warpsim::timing {

enum class Bank : std::uint8_t { even, odd, any };

/// Per value. Wide ones begin in even registers.
std::vector<Bank> find_banks(MachineFunction const& m, Values const& values);

}  // namespace warpsim::timing
