// Whether all lanes that a shuffle or a vote names are there: where a compiler cannot know it, the code asks and collects them
// elsewhere if they are not (BRA.DIV).
#pragma once

#include "sim/timing/plan/divergence.hpp"

#include <string_view>
#include <vector>

namespace warpsim::timing {

struct LaneCheck {
    std::string_view before;  // micro-ops, in letters of append()
    std::uint8_t elsewhere;   // instructions behind the function

    bool branches() const { return elsewhere != 0 && !before.empty(); }
};

/// Marks such instructions (`MachineInstruction::lane_check`). For the hardware of this compute capability (90 for 9.0).
/// `is_unsure`: per block, as add_convergence() returns it.
void check_lanes(MachineFunction& m, Divergence const& divergence, std::vector<bool> const& is_unsure,
                 int capability);

/// A shuffle, vote, match or barrier of a warp, of lanes that are known, whichever come.
bool names_all_lanes(MachineFunction const& m, Divergence const& divergence, std::uint32_t i);

/// Number 0 adds nothing.
LaneCheck const& lane_check(std::uint8_t number);

}  // namespace warpsim::timing
