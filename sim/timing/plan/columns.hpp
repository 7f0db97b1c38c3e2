// The columns that the functional plan of a reordered function keeps its registers in.
#pragma once

#include "sim/timing/plan/liveness.hpp"

namespace warpsim::timing {

/// As decoding lays them out for program order: shared among registers of one width whose lives do not meet.
ir::RegisterLayout lay_out_columns(MachineFunction const& m);

}  // namespace warpsim::timing
