// Bit manipulation of one lane.
#pragma once

#include "frontend/isa/integers.hpp"

namespace warpsim::isa::WARPSIM_HOST {

// Shift amounts are clamped to the width. Shifting a 64-bit value costs no more than the compare that clamps, and is
// defined for every amount below 64.
template <class T>
[[gnu::always_inline]] inline T shifted_left(T a, std::uint32_t b) {
    if constexpr (sizeof(T) == 2) {
        return static_cast<T>(b > 15 ? 0u : static_cast<std::uint32_t>(a) << (b & 15));
    } else {
        constexpr std::uint32_t last = bits_of<T> - 1;
        return b > last ? T{0} : static_cast<T>(a << (b & last));
    }
}
template <class T>
[[gnu::always_inline]] inline T shifted_right(T a, std::uint32_t b) {
    constexpr std::uint32_t last = bits_of<T> - 1;
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (b > last ? last : b));
    else return static_cast<T>(b > last ? T{0} : static_cast<T>(a >> (b & last)));
}

/// Of the 64 bits hi:lo, the high word after a shift left, the low word after a shift right; 0 <= amount <= 32.
[[gnu::always_inline]] inline std::uint32_t funnel_left(std::uint32_t lo, std::uint32_t hi, std::uint32_t amount) {
    return static_cast<std::uint32_t>((std::uint64_t{hi} << 32 | lo) >> (32 - amount));
}
[[gnu::always_inline]] inline std::uint32_t funnel_right(std::uint32_t lo, std::uint32_t hi, std::uint32_t amount) {
    return static_cast<std::uint32_t>((std::uint64_t{hi} << 32 | lo) >> amount);
}

/// Bit i of the table is the result where a, b, c spell i.
[[gnu::always_inline]] inline std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
    std::uint32_t d = 0;
    for (std::uint32_t i = 0; i < 8; ++i) {
        std::uint32_t const term = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
        d |= term & (std::uint32_t{0} - (table >> i & 1));
    }
    return d;
}

}  // namespace warpsim::isa::WARPSIM_HOST
