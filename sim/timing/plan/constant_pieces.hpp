// Where a constant that moves bring into a register is live.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

namespace warpsim::timing {

/// Of the constant of that number, which these instructions read, in ascending order.
std::vector<ir::LiveInterval> find_pieces(MachineFunction const& m, std::span<MadeConstant const> made,
                                          std::uint16_t number, std::span<std::uint32_t const> readers);

}  // namespace warpsim::timing
