// Whether a kernel may wait for others by asking memory again and again.
#pragma once

#include "sim/exec/op.hpp"

namespace warpsim::sim {

/// Whether one of its functions has a short loop that asks global memory, by a load that others' stores reach or by a
/// compare-and-swap, and writes nothing: as far as can be seen from the code. A warp there executes more the longer it waits.
bool may_poll(KernelPlan const& plan);

}  // namespace warpsim::sim
