// Whether all lanes that a shuffle or a vote names are there: where a compiler cannot know it, the code asks and collects them
// elsewhere if they are not (BRA.DIV).
#pragma once

#include "sim/timing/plan/divergence.hpp"

#include <string_view>
#include <vector>

namespace warpsim::timing {

struct LaneCheck {
    std::string_view before;  // micro-ops, in letters of append()

    bool branches() const { return before.find_first_of("Bb") != std::string_view::npos; }
};

/// Marks such instructions (`MachineInstruction::lane_check`, `elsewhere`). For the hardware of this compute capability (90 for
/// 9.0). `is_unsure`: per block, as add_convergence() finds it.
void check_lanes(MachineFunction& m, Divergence const& divergence, std::vector<bool> const& is_unsure,
                 int capability);

/// A shuffle, vote or match of lanes that are named.
bool does_together(MachineFunction const& m, std::uint32_t i);
/// Number 0 adds nothing.
LaneCheck const& lane_check(std::uint8_t number);
/// Lanes just wait there for the others (WARPSYNC).
bool makes_lanes_meet(std::uint8_t number);

}  // namespace warpsim::timing
