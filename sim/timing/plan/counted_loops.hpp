// Loops of one block of which several iterations can be executed at once.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

// ptxas 13.0 combines four iterations of a known number when the result has at most about this many instructions.
constexpr std::uint32_t rounds_at_once = 4;
constexpr std::uint32_t most_unrolled_instructions = 256;
// Nothing of a loop is left when all of its iterations come to no more; 11 more for each iteration over four (loops of 2 to 32
// iterations and 4 to 400 instructions, for sm_75 and sm_90).
constexpr std::int64_t more_for_each_round = 11, most_rounds = 32;

struct CountedLoop {
    enum Kind : std::uint8_t { none, constant, counted_down, bounded } kind = none;
    std::uint32_t test = ir::none, counter = ir::none;  // of a loop that is left when the counter says so
    std::int32_t step = 0;
    std::uint32_t step_at = ir::none;
    isa::Modifier goes_on = isa::Modifier::ne;  // of a bounded loop: how the counter compares with the bound
    std::uint32_t rounds = rounds_at_once;      // that are executed at once
    bool is_whole = false;                      // ... and no more
    bool has_rest() const { return kind == counted_down || kind == bounded; }
};

/// For each block of the function, whether it is such a loop. `constant`: few iterations, or a multiple of four. `counted_down`: each
/// iteration takes a constant from a counter until it is 0. `bounded`: each adds a constant to a counter until it has passed a bound, or
/// is equal to it. Counters and bounds may differ in the lanes.
std::vector<CountedLoop> find_counted_loops(ir::Module const& module, ir::Function const& function,
                                            MachineFunction const& m);

}  // namespace warpsim::timing
