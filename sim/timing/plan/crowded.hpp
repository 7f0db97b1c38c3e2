// Which values of a kernel have so many others beside them that these could take all registers.
#pragma once

#include "sim/timing/plan/live_ranges.hpp"

namespace warpsim::timing {

/// What takes one place, such as a value and its copies.
struct Resident {
    std::uint32_t units;  // registers of 32 bits
    std::vector<ir::LiveInterval> pieces;
};

/// Per resident of a file of so many registers: whether those that are live at the same time as it could leave no place for it,
/// wherever they are.
std::vector<bool> find_crowded(std::vector<Resident> const& residents, std::uint32_t registers);

}  // namespace warpsim::timing
