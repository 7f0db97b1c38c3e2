// Moves that loops of one block take for what they carry from one iteration to the next.
#pragma once

#include "sim/timing/plan/divergence.hpp"
#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

/// Adds to the moves of each instruction those that loops take which are not unrolled, and what stands in front of these.
void add_loop_copies(MachineFunction const& m, Divergence const& divergence, std::vector<std::uint8_t>& moves);

}  // namespace warpsim::timing
