// Loops of one block whose iterations can be counted (counted_loops.hpp): a compiler executes several iterations at once,
// advances counters and pointers once for all of them, and schedules them together.
#pragma once

#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// Instructions [first, first + copies * length) are the iterations, before the branch back, which does nothing if these are
/// all that there are.
struct UnrolledLoop {
    std::uint32_t first = 0, length = 0, copies = 0;
};

struct Unrolled {
    std::vector<UnrolledLoop> loops;
    std::vector<std::uint32_t> original;  // per instruction: its number before
    std::vector<std::uint16_t>
        weight;  // per instruction: how many PTX instructions it stands for; 1 except for branches
};

/// Rewrites the function, and `paths` with it. Each PTX instruction is executed as often as before by each lane, except
/// for the branches that are left out.
Unrolled unroll(ir::Module& module, ir::Function& function, GuardedPaths& paths, int capability);

/// In all iterations but the last, pointers and counters that only advance by constants cost nothing: their
/// increments become offsets of addresses.
void join_rounds(MachineFunction& m, Definitions& d, std::vector<UnrolledLoop> const& loops);

}  // namespace warpsim::timing
