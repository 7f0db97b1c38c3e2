// Constants that are moved or loaded into registers come where the first instruction of their block needs them: behind exact divisions
// and clocks, too, past which the scheduler moves nothing.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <vector>

namespace warpsim::timing {

/// Puts `function` into that order, and returns for each position what was there before. Needs the results of clean_up().
std::vector<std::uint32_t> move_constants_down(MachineFunction& m, ir::Function& function);

}  // namespace warpsim::timing
