// What can be known of an operand when a kernel is planned.
#pragma once

#include "sim/exec/function_planner.hpp"

#include <cstdint>
#include <optional>

namespace warpsim::sim {

/// The value of an operand wherever its instruction is reached: a constant, or a register that nothing writes but one move
/// of a constant.
std::optional<std::uint64_t> known_value(FunctionPlanner const& p, ir::Operand const& operand);

}  // namespace warpsim::sim
