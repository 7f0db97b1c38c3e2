// 16-bit floating point of one lane: f16 and bf16 are computed in a wider format and rounded once.
#pragma once

#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {

template <class T> inline constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;

/// Exact. For Half, a multiplication adjusts the exponent, which also normalises subnormals.
[[gnu::always_inline]] inline float to_float(Half h) {
    std::uint32_t const bits = h.bits;
    std::uint32_t const magnitude = (bits & 0x7fffu) << 13;
    std::uint32_t const scaled = bits_as<std::uint32_t>(bits_as<float>(magnitude) * 0x1p112f);
    // Infinity and NaN have the top exponent in both formats.
    std::uint32_t const finite_or_not = (bits & 0x7c00u) == 0x7c00u ? magnitude | 0x7f800000u : scaled;
    return bits_as<float>(finite_or_not | (bits & 0x8000u) << 16);
}
[[gnu::always_inline]] inline float to_float(Bfloat b) { return bits_as<float>(std::uint32_t{b.bits} << 16); }

}  // namespace warpsim::isa::WARPSIM_HOST
