// Addresses of a warp access as sim/exec gives them, from one function of the lane.
#pragma once

#include "sim/exec/lanes/access.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace warpsim::test {

template <class Of> sim::Addresses scattered(std::uint32_t bytes, Of&& of, sim::LaneMask mask = ~0u) {
    sim::Addresses a;
    a.mask = mask;
    a.bytes = bytes;
    a.low = UINT64_MAX;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        a.lane[lane] = of(lane);
        if ((mask >> lane & 1) == 0) continue;
        a.low = std::min<std::uint64_t>(a.low, a.lane[lane]);
        a.past_high = std::max<std::uint64_t>(a.past_high, a.lane[lane] + bytes);
    }
    return a;
}

inline sim::Addresses affine(std::uint32_t bytes, std::uint64_t first, sim::LaneMask mask = ~0u) {
    sim::Addresses a = scattered(
        bytes, [&](std::uint32_t i) { return first + std::uint64_t{i} * bytes; }, mask);
    a.pattern = sim::Pattern::affine;
    a.lane_zero = first;
    return a;
}

inline sim::Addresses uniform(std::uint32_t bytes, std::uint64_t address, sim::LaneMask mask = ~0u) {
    sim::Addresses a = scattered(
        bytes, [&](std::uint32_t) { return address; }, mask);
    a.pattern = sim::Pattern::uniform;
    a.lane_zero = address;
    return a;
}

}  // namespace warpsim::test
