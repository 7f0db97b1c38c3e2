// What a compiler weighs before it executes several iterations of a loop at once.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>

namespace warpsim::timing {

/// Whether ptxas executes four iterations of a loop of one block at once when it does not know how many there are. `counter` is the
/// register that the loop counts in; all lanes may go through it `together`, or each a number of times of its own. From loops of 0 to
/// 120 instructions of each kind, for sm_70 to sm_100 (ptxas 12.8 and 13.0). Loops with loads of global or local memory may be
/// longer than others, and those with loads of shared memory the longer the more there are. Calls and fences are never repeated; where
/// lanes may part, nor are loads from memory to which stores go that depend on them, unless others are repeated that do not; barriers
/// and atomics only where the bound is a number or in the constant bank, and from 9.0 on votes, shuffles and the like of a warp.
enum class Lanes : std::uint8_t { apart, together, together_to_a_constant };
bool combines_rounds(MachineFunction const& m, ir::Block const& loop, std::uint32_t counter, Lanes lanes,
                     int capability);

/// How ptxas executes the iterations of a loop: some in front of it, and as many at once in it.
struct Rounds {
    std::uint32_t before = 0, at_once = 1;
    bool is_whole = false;  // `at_once` are all there are: nothing of the loop is left
};
/// ... of one block with a known number of iterations, which `test` counts; of a loop inside of another one it executes more. From
/// loops of 2 to 4096 iterations of 1 to 400 instructions, in functions of 20 to 400 others, for sm_75 to sm_100 (ptxas 13.0).
Rounds rounds_of(MachineFunction const& m, ir::Block const& loop, std::uint32_t counter, std::uint32_t test,
                 std::uint32_t count, bool is_inner, int capability);

}  // namespace warpsim::timing
