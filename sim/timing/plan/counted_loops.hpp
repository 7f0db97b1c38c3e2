// Loops of one block of which several iterations can be executed at once.
#pragma once

#include "sim/timing/plan/loop_size.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

// Of loops whose number of iterations is not known.
constexpr std::uint32_t rounds_at_once = 4;

struct CountedLoop {
    enum Kind : std::uint8_t { none, constant, counted_down, bounded } kind = none;
    std::uint32_t test = ir::none, counter = ir::none;  // of a loop that is left when the counter says so
    std::int32_t step = 0;
    std::uint32_t step_at = ir::none;
    isa::Modifier goes_on = isa::Modifier::ne;  // of a bounded loop: how the counter compares with the bound
    Rounds rounds{0, rounds_at_once, false};
    std::int64_t start = 0;  // of the counter, where the number of iterations is known
    bool has_rest() const { return kind == counted_down || kind == bounded; }
};

/// For each block of the function, whether it is such a loop. `constant`: a known number of iterations. `counted_down`: each
/// iteration takes a constant from a counter until it is 0. `bounded`: each adds a constant to a counter until it has passed a bound, or
/// is equal to it. Counters and bounds may differ in the lanes.
std::vector<CountedLoop> find_counted_loops(ir::Module const& module, ir::Function const& function,
                                            MachineFunction const& m, int capability);

}  // namespace warpsim::timing
