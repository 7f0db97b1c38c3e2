// Loops of one block and a constant number of rounds, several of which a compiler carries out at once: their
// counters and pointers advance once for all, their rounds are scheduled together.
#pragma once

#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// Instructions [first, first + copies * length) are the rounds, the branch back stands behind them.
struct UnrolledLoop {
    std::uint32_t first = 0, length = 0, copies = 0;
};

struct Unrolled {
    std::vector<UnrolledLoop> loops;
    std::vector<std::uint32_t> original;  // per instruction: its number before
    std::vector<std::uint8_t> weight;  // per instruction: how many of the PTX it stands for, all but branches one
};

/// Rewrites the function, and `paths` with it. Each PTX instruction is carried out as often as before, but for the
/// branches that are left out.
Unrolled unroll(ir::Module const& module, ir::Function& function, GuardedPaths& paths);

/// In all rounds but the last, pointers and counters that only advance by constants cost nothing: what they add
/// goes into addresses.
void join_rounds(MachineFunction& m, Definitions& d, std::vector<UnrolledLoop> const& loops);

}  // namespace warpsim::timing
