// Registers that need no column in each warp: from their only definition on all lanes of a CTA, or of the launch, have the same.
#pragma once

#include "sim/exec/function_planner.hpp"

namespace warpsim::sim {

FixedRegisters find_fixed(KernelPlanner const& kernel, ir::Function const& function);

}  // namespace warpsim::sim
