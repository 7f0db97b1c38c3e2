// A thread has seven predicates. If more are live, the rest is kept as bits of a vector register (P2R, R2P).
#pragma once

#include "sim/timing/plan/allocate.hpp"

namespace warpsim::timing {

inline constexpr std::uint32_t predicates_of_thread = 7;

/// Chooses these, adds the micro-ops that move them, and allocates again. Does nothing where seven are enough.
void keep_predicates(MachineFunction& m, Allocation& allocation);

}  // namespace warpsim::timing
