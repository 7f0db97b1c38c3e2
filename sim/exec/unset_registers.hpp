// Registers that a thread may read before it has written them. All others need no value when their function
// begins.
#pragma once

#include "frontend/ir/module.hpp"

#include <vector>

namespace warpsim::sim {

/// By register. Of functions too large to look at, all.
std::vector<bool> unset_registers(ir::Module const& module, ir::Function const& function);

}  // namespace warpsim::sim
