#pragma once

#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// Accesses to shared memory take an index and multiply it by 4, 8 or 16 themselves ([R.X4], until compute capability 8.9): shifts
/// that compute nothing but their addresses are folded into them, also as part of a sum. After fold().
void scale_addresses(MachineFunction& m, Definitions const& d, int capability);

}  // namespace warpsim::timing
