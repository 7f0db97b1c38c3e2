// How many lanes a mask has.
#pragma once

#include "frontend/isa/operands.hpp"

#include <cstdint>

namespace warpsim::sim {

/// std::popcount is a call of a function for hosts that may lack the instruction, and divergent code counts lanes at
/// every branch.
constexpr std::uint32_t count_lanes(isa::LaneMask mask) {
    if (mask == isa::all_lanes) return isa::warp_size;
    mask = mask - (mask >> 1 & 0x55555555u);
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

}  // namespace warpsim::sim
