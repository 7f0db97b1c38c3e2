// The order in which the hardware gets the instructions of a block: list scheduling by the longest way to the
// block's end, held back where too many registers would live at once.
#pragma once

#include "sim/config/config.hpp"
#include "sim/timing/plan/machine_function.hpp"

#include <array>

namespace warpsim::timing {

/// Cycles from the issue of a micro-op to that of one that needs its result, per unit, as the scheduler assumes.
struct ExpectedLatencies {
    std::array<std::uint16_t, micro_units> of{};
    std::uint16_t shared = 0;
};
ExpectedLatencies expected_latencies(sim::Config const& config);

/// Per place the instruction that stands there. Blocks keep their places; `live` is of what the hardware reads and
/// writes.
std::vector<std::uint32_t> schedule(MachineFunction const& m, ir::BlockLiveness const& live,
                                    ExpectedLatencies const& latencies, std::uint32_t register_target);

/// The function with its instructions in that order, and what is known of them likewise; `function` takes its
/// place.
void reorder(MachineFunction& m, ir::Function& function, std::vector<std::uint32_t> const& order);

}  // namespace warpsim::timing
