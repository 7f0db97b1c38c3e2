// Copies that take a move: of numbers into registers which change later on, as the sums of a loop begin with zero, of values that
// are needed where the other register has changed, of pointers that loops advance, and of those that conversions add.
#pragma once

#include "sim/timing/plan/divergence.hpp"
#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

/// For each instruction the moves of such a number, in the block that brings it into another register, or of such a value: one
/// for each register, of zeros one for a pair (CS2R).
std::vector<std::uint8_t> find_copied_numbers(MachineFunction const& m, Divergence const& divergence);

}  // namespace warpsim::timing
