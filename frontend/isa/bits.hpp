// Bit manipulation of one lane.
#pragma once

#include "frontend/isa/integers.hpp"

namespace warpsim::isa::WARPSIM_HOST {

// Shift amounts are clamped to the width. A 64-bit shift costs no more than the compare that clamps, and it is
// defined for every amount below 64.
template <class T> [[gnu::always_inline]] inline T shifted_left(T a, std::uint32_t b) {
    if constexpr (sizeof(T) == 2) {
        return static_cast<T>(b > 15 ? 0u : static_cast<std::uint32_t>(a) << (b & 15));
    } else {
        constexpr std::uint32_t last = bits_of<T> - 1;
        return b > last ? T{0} : static_cast<T>(a << (b & last));
    }
}
template <class T> [[gnu::always_inline]] inline T shifted_right(T a, std::uint32_t b) {
    constexpr std::uint32_t last = bits_of<T> - 1;
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (b > last ? last : b));
    else return static_cast<T>(b > last ? T{0} : static_cast<T>(a >> (b & last)));
}

/// Of the 64 bits hi:lo the high word after a left shift, or the low word after a right shift; 0 <= amount <= 32.
[[gnu::always_inline]] inline std::uint32_t funnel_left(std::uint32_t lo, std::uint32_t hi, std::uint32_t amount) {
    return static_cast<std::uint32_t>((std::uint64_t{hi} << 32 | lo) >> (32 - amount));
}
[[gnu::always_inline]] inline std::uint32_t funnel_right(std::uint32_t lo, std::uint32_t hi,
                                                         std::uint32_t amount) {
    return static_cast<std::uint32_t>((std::uint64_t{hi} << 32 | lo) >> amount);
}

/// Bit i of the table is the result for the inputs abc = i, read as a binary number.
[[gnu::always_inline]] inline std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                 std::uint32_t table) {
    std::uint32_t d = 0;
    for (std::uint32_t i = 0; i < 8; ++i) {
        std::uint32_t const term = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
        d |= term & (std::uint32_t{0} - (table >> i & 1));
    }
    return d;
}

// ---- counting; by halves, because only some hosts count bits of a vector ---------------------------------------

[[gnu::always_inline]] inline std::uint32_t population(std::uint32_t a) {
    a -= a >> 1 & 0x55555555u;
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0fu;
    return (a * 0x01010101u) >> 24;
}
[[gnu::always_inline]] inline std::uint32_t population(std::uint64_t a) {
    return population(static_cast<std::uint32_t>(a)) + population(static_cast<std::uint32_t>(a >> 32));
}
template <class T> [[gnu::always_inline]] inline std::uint32_t leading_zeros(T a) {
    for (int shift = 1; shift < bits_of<T>; shift *= 2) a |= a >> shift;
    return population(static_cast<T>(~a));
}
[[gnu::always_inline]] inline std::uint32_t reversed(std::uint32_t a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
    return a >> 16 | a << 16;
}
[[gnu::always_inline]] inline std::uint64_t reversed(std::uint64_t a) {
    return std::uint64_t{reversed(static_cast<std::uint32_t>(a))} << 32 |
           reversed(static_cast<std::uint32_t>(a >> 32));
}
/// The position of the most significant bit that is not a copy of the sign; -1 for none. As a shift amount: how
/// far to shift left to bring it next to the sign bit.
template <bool as_shift, class T> [[gnu::always_inline]] inline std::uint32_t find_bit(T a) {
    using U = std::make_unsigned_t<T>;
    auto const bits = static_cast<U>(a < 0 ? ~a : a);
    std::uint32_t const zeros = leading_zeros(bits);
    std::uint32_t const place = as_shift ? zeros : bits_of<T> - 1 - zeros;
    return bits == 0 ? 0xffffffffu : place;
}

// ---- bit fields: position and length are bytes for 32 bits; for 64 all of their bits count ----------------------------------------------------------------

/// The lowest `n` bits, 0 <= n <= width.
template <class U> [[gnu::always_inline]] inline U low_bits(std::uint32_t n) {
    constexpr std::uint32_t last = bits_of<U> - 1;
    return n > last ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << (n & last)) - 1);
}
template <class T> [[gnu::always_inline]] inline T extract(T a, std::uint32_t position, std::uint32_t length) {
    using U = std::make_unsigned_t<T>;
    constexpr std::uint32_t bits = bits_of<T>;
    if constexpr (bits == 32) {
        position &= 0xff;
        length &= 0xff;
    }
    std::uint32_t const at = position > bits ? bits : position;
    std::uint32_t const there = bits - at;
    std::uint32_t const n = length < there ? length : there;
    U const field = shifted_right(static_cast<U>(a), at) & low_bits<U>(n);
    if constexpr (!std::is_signed_v<T>) return field;
    // The field is sign-extended from its top bit, or from that of the value where it reaches beyond the value.
    std::uint32_t const end = at + (length > bits ? bits : length);
    std::uint32_t const sign_at = (end > bits ? bits : end) - 1;
    bool const negative = length != 0 && (static_cast<U>(a) >> (sign_at & (bits - 1)) & 1) != 0;
    return static_cast<T>(negative ? field | static_cast<U>(~low_bits<U>(n)) : field);
}
template <class T>
[[gnu::always_inline]] inline T inserted(T a, T b, std::uint32_t position, std::uint32_t length) {
    constexpr std::uint32_t counted = sizeof(T) == 4 ? 0xff : 0xffffffff;
    T const mask = shifted_left(low_bits<T>(length & counted), position & counted);
    return static_cast<T>((b & ~mask) | (shifted_left(a, position & counted) & mask));
}
[[gnu::always_inline]] inline std::uint32_t bit_mask(std::uint32_t position, std::uint32_t length) {
    return shifted_left(low_bits<std::uint32_t>(length), position);
}
/// The lowest n bits as an integer of that width; n = 0 gives 0.
template <class T> [[gnu::always_inline]] inline T extended(T a, std::uint32_t n) {
    auto const field = static_cast<std::uint32_t>(a) & low_bits<std::uint32_t>(n);
    bool const negative = std::is_signed_v<T> && n != 0 && (field >> ((n - 1) & 31) & 1) != 0;
    return static_cast<T>(negative ? field | ~low_bits<std::uint32_t>(n) : field);
}
/// The n-th set bit from `base` on, upwards or downwards. Hardware's answer to the least offset, which has no opposite, is 0.
[[gnu::always_inline]] inline std::uint32_t find_nth_set(std::uint32_t mask, std::uint32_t base,
                                                         std::int32_t offset) {
    if (offset == 0) return base < 32 && (mask >> base & 1) != 0 ? base : 0xffffffffu;
    if (offset == lowest<std::int32_t>) return 0;
    std::int64_t const step = offset > 0 ? 1 : -1;
    std::int64_t left = (offset > 0 ? std::int64_t{offset} : -std::int64_t{offset}) - 1;
    for (std::int64_t at = base; at >= 0 && at < 32; at += step) {
        if ((mask >> at & 1) != 0 && left-- == 0) return static_cast<std::uint32_t>(at);
    }
    return 0xffffffffu;
}

// ---- bytes ----------------------------------------------------------------------------------------------------

/// Byte `selector` of b:a; when bit 3 is set, the byte's sign bit repeated eight times.
[[gnu::always_inline]] inline std::uint32_t chosen_byte(std::uint64_t ba, std::uint32_t selector) {
    auto const byte = static_cast<std::uint32_t>(ba >> 8 * (selector & 7)) & 0xff;
    return (selector & 8) != 0 ? (byte >> 7) * 0xff : byte;
}
[[gnu::always_inline]] inline std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    std::uint64_t const ba = std::uint64_t{b} << 32 | a;
    return chosen_byte(ba, selector) | chosen_byte(ba, selector >> 4) << 8 | chosen_byte(ba, selector >> 8) << 16 |
           chosen_byte(ba, selector >> 12) << 24;
}
/// .f4e .b4e .rc8 .ecl .ecr .rc16: the selector that the mode derives from the two low bits of c, byte by byte.
template <int mode> [[gnu::always_inline]] inline std::uint32_t selector_of(std::uint32_t c) {
    c &= 3;
    std::uint32_t selector = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
        std::uint32_t const byte = mode == 0   ? c + i
                                   : mode == 1 ? (c - i) & 7
                                   : mode == 2 ? c
                                   : mode == 3 ? (c > i ? c : i)
                                   : mode == 4 ? (c < i ? c : i)
                                               : (c & 1) * 2 + (i & 1);
        selector |= byte << 4 * i;
    }
    return selector;
}

/// Element `i`, `size` bits wide, signed when T is.
template <class T> [[gnu::always_inline]] inline std::int32_t element(T a, int i, int size) {
    auto const up = static_cast<T>(static_cast<std::uint32_t>(a) << (32 - size * (i + 1)));
    return static_cast<std::int32_t>(up >> (32 - size));
}
template <class A, class B> [[gnu::always_inline]] inline std::uint32_t dot4(A a, B b, std::uint32_t c) {
    for (int i = 0; i < 4; ++i) c += static_cast<std::uint32_t>(element(a, i, 8) * element(b, i, 8));
    return c;
}
template <bool high, class A, class B>
[[gnu::always_inline]] inline std::uint32_t dot2(A a, B b, std::uint32_t c) {
    for (int i = 0; i < 2; ++i)
        c += static_cast<std::uint32_t>(element(a, i, 16) * element(b, i + (high ? 2 : 0), 8));
    return c;
}

}  // namespace warpsim::isa::WARPSIM_HOST
