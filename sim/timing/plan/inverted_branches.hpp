#pragma once

#include "sim/timing/plan/machine_function.hpp"

namespace warpsim::timing {

/// Where a branch passes over nothing but another one, the hardware's asks the opposite and goes where that goes: the other one
/// costs nothing.
void invert_branches(MachineFunction& m);

}  // namespace warpsim::timing
