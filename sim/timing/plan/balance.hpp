// Which pipe moves, sums and shifts of integers take: ptxas writes them for the multipliers (IMAD.MOV, IMAD.IADD, IMAD.SHL)
// where the integer pipe has more to do.
#pragma once

#include "sim/config/config.hpp"
#include "sim/timing/plan/machine_function.hpp"

namespace warpsim::timing {

/// In each block, so many of them that both pipes are busy for as long, evenly among the others.
void balance_pipes(MachineFunction& m, sim::Config const& config);

}  // namespace warpsim::timing
