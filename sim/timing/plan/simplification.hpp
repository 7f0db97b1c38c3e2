// In which order values choose registers, as the allocator of ptxas 13.0 makes it: who has so few others beside it that these leave it a
// register in any case is put aside, and chooses after all that are left; so on, with fewer and fewer others, until none is left.
#pragma once

#include "sim/timing/plan/live_ranges.hpp"

namespace warpsim::timing {

/// What takes one place, such as a value and its copies.
struct Resident {
    std::uint32_t units;  // registers of 32 bits
    bool is_wide;         // one value of 64 bits
    bool is_tied;         // it matters to others beyond those that are live at the same time which one it has
    std::vector<ir::LiveInterval> pieces;
};

/// What becomes of those that are left when none has few enough others: the one with most of them takes its chance behind all that
/// are left then, or all of them choose first.
enum class Crowded : std::uint8_t { behind, first };

/// The residents of a file of so many registers in the order in which they choose; where nothing is in the way, those that
/// are tied, wide ones first, before others, and otherwise as they are given.
std::vector<std::uint32_t> order_of_choice(std::vector<Resident> const& residents, std::uint32_t registers,
                                           Crowded crowded);

}  // namespace warpsim::timing
