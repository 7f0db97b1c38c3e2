// Numbers that are copied into registers which change later on, as the sums of a loop begin with zero, and those that conversions add.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

/// For each instruction the moves of such a number, in the block that brings it into another register: one each, of zeros one
/// for a pair (CS2R).
std::vector<std::uint8_t> find_copied_numbers(MachineFunction const& m);

}  // namespace warpsim::timing
