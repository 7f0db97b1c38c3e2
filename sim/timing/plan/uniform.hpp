// Values that are the same in all lanes and can be computed once, by the uniform datapath of Turing and later.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

namespace warpsim::timing {

/// Marks the registers in the uniform file and the instructions that compute them. Needs the results of clean_up()
/// and the compute capability (90 for 9.0).
void find_uniform(MachineFunction& m, int capability);

}  // namespace warpsim::timing
