// Integer arithmetic of one lane. It wraps as the ISA says, so it is done in unsigned types of at least 32 bits.
#pragma once

#include "frontend/isa/lanes.hpp"

#include <limits>

namespace warpsim::isa::WARPSIM_HOST {

template <class T> using wrapping = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
__extension__ using Unsigned128 = unsigned __int128;
__extension__ using Signed128 = __int128;

// clang-format off
template <class T> struct Twice;
template <> struct Twice<std::uint8_t> { using type = std::uint16_t; };
template <> struct Twice<std::int8_t> { using type = std::int16_t; };
template <> struct Twice<std::uint16_t> { using type = std::uint32_t; };
template <> struct Twice<std::int16_t> { using type = std::int32_t; };
template <> struct Twice<std::uint32_t> { using type = std::uint64_t; };
template <> struct Twice<std::int32_t> { using type = std::int64_t; };
template <> struct Twice<std::uint64_t> { using type = Unsigned128; };
template <> struct Twice<std::int64_t> { using type = Signed128; };
// clang-format on
template <class T> using twice = typename Twice<T>::type;

template <class T> inline constexpr int bits_of = 8 * static_cast<int>(sizeof(T));
template <class T>
inline constexpr T lowest = std::is_signed_v<T> ? static_cast<T>(wrapping<T>{1} << (bits_of<T> - 1)) : T{0};
template <class T> inline constexpr T highest = static_cast<T>(~lowest<T>);

template <class T> [[gnu::always_inline]] inline T sum(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
}
template <class T> [[gnu::always_inline]] inline T difference(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
}
template <class T> [[gnu::always_inline]] inline T negated(T a) {
    return static_cast<T>(wrapping<T>{0} - static_cast<wrapping<T>>(a));
}
template <class T> [[gnu::always_inline]] inline T product(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
}
template <class T> [[gnu::always_inline]] inline T product_high(T a, T b) {
    return static_cast<T>((static_cast<twice<T>>(a) * static_cast<twice<T>>(b)) >> bits_of<T>);
}
template <class T> [[gnu::always_inline]] inline T relu(T a) { return a > 0 ? a : T{0}; }

// Overflow sets the sign bit of (a ^ s) & (b ^ s); no branches, so that it vectorises.
[[gnu::always_inline]] inline std::int32_t saturated_unless_fits(std::int32_t a, std::int32_t s,
                                                                 std::int32_t overflow) {
    return overflow < 0 ? (a >> 31) ^ highest<std::int32_t> : s;
}
[[gnu::always_inline]] inline std::int32_t sum_saturated(std::int32_t a, std::int32_t b) {
    std::int32_t const s = sum(a, b);
    return saturated_unless_fits(a, s, (a ^ s) & (b ^ s));
}
[[gnu::always_inline]] inline std::int32_t difference_saturated(std::int32_t a, std::int32_t b) {
    std::int32_t const s = difference(a, b);
    return saturated_unless_fits(a, s, (a ^ b) & (a ^ s));
}
/// The sum of numbers of at most 32 bits, limited to what their type holds.
template <class T> [[gnu::always_inline]] inline T element_sum_saturated(T a, T b) {
    constexpr std::int64_t least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    std::int64_t const s = static_cast<std::int64_t>(a) + static_cast<std::int64_t>(b);
    return static_cast<T>(s < least ? least : s > most ? most : s);
}

/// Half of the product of two polynomials over GF(2): bits are added without carries.
template <bool high>
[[gnu::always_inline]] inline std::uint64_t carryless_product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t d = 0;
    for (int i = high ? 1 : 0; i < 64; ++i) d ^= (0 - (b >> i & 1)) & (high ? a >> (64 - i) : a << i);
    return d;
}

struct MadWide {
    template <class T> twice<T> operator()(T a, T b, twice<T> c) const {
        return sum(static_cast<twice<T>>(static_cast<twice<T>>(a) * static_cast<twice<T>>(b)), c);
    }
};

/// mul24: the product of the low 24 bits of both has 48 bits; .lo gives bits 31..0 of it, .hi bits 47..16.
template <bool high, class T> [[gnu::always_inline]] inline T product24(T a, T b) {
    auto const low24 = [](T x) {
        return static_cast<twice<T>>(static_cast<T>(static_cast<std::uint32_t>(x) << 8) >> 8);
    };
    return static_cast<T>((low24(a) * low24(b)) >> (high ? 16 : 0));
}

// ---- division ------------------------------------------------------------------------------------------------
// A quotient of 32-bit integers is exact through double: two of them that differ are farther apart than its
// rounding. The ISA leaves division by zero open; as ptxas expands it, the quotient is all ones and the remainder
// the dividend. Nothing here may trap on the host, so a zero divisor is replaced first.

[[gnu::always_inline]] inline double exact_double(std::uint32_t a) {
    return bits_as<double>(std::uint64_t{a} | 0x4330000000000000u) - 0x1p52;
}
[[gnu::always_inline]] inline std::uint32_t truncated(double a) {
#ifdef __AVX512F__
    return static_cast<std::uint32_t>(a);
#else
    // For hosts that only convert signed integers: adding 2^52 leaves the integer, rounded to nearest, in the low
    // bits; the comparison turns that into truncation.
    double const rounded = a + 0x1p52;
    auto const n = static_cast<std::uint32_t>(bits_as<std::uint64_t>(rounded));
    return n - (rounded - 0x1p52 > a ? 1u : 0u);
#endif
}
// Selects between results, not between divisions: compilers would make a branch with a division on each side.
[[gnu::always_inline]] inline std::uint32_t quotient(std::uint32_t a, std::uint32_t b) {
    std::uint32_t const divisor = b | static_cast<std::uint32_t>(b == 0);
    std::uint32_t const q = truncated(exact_double(a) / exact_double(divisor));
    return q | (std::uint32_t{0} - static_cast<std::uint32_t>(b == 0));
}
/// The lowest integer divided by -1 wraps to itself.
[[gnu::always_inline]] inline std::int32_t quotient(std::int32_t a, std::int32_t b) {
    std::int32_t const divisor = b | static_cast<std::int32_t>(b == 0);
    double const q = static_cast<double>(a) / static_cast<double>(divisor);
    auto const n = static_cast<std::int32_t>(q > 0x7fffffffp0 ? -0x80000000p0 : q);
    return n | -static_cast<std::int32_t>(b == 0);
}
/// 16-bit integers use float in the same way.
template <class T>
requires(sizeof(T) == 2) [[gnu::always_inline]] inline T quotient(T a, T b) {
    std::int32_t const divisor = b | static_cast<std::int32_t>(b == 0);
    auto const q = static_cast<std::int32_t>(static_cast<float>(a) / static_cast<float>(divisor));
    return static_cast<T>(q | -static_cast<std::int32_t>(b == 0));
}
[[gnu::always_inline]] inline std::uint64_t quotient(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? ~std::uint64_t{0} : a / b;
}
[[gnu::always_inline]] inline std::int64_t quotient(std::int64_t a, std::int64_t b) {
    return b == 0 ? -1 : b == -1 ? negated(a) : a / b;
}
/// Of a division by zero all bits are set, as in its quotient.
template <class T> [[gnu::always_inline]] inline T remainder_of(T a, T b) {
    return b == 0 ? static_cast<T>(~T{0}) : difference(a, product(quotient(a, b), b));
}

// ---- two 16-bit integers in one register ----------------------------------------------------------------------

template <class T, class F> [[gnu::always_inline]] inline T halves(T a, T b, F f) {
    using E = std::conditional_t<std::is_same_v<T, Signed16x2>, std::int16_t, std::uint16_t>;
    auto const low = f(static_cast<E>(a.bits), static_cast<E>(b.bits));
    auto const high = f(static_cast<E>(a.bits >> 16), static_cast<E>(b.bits >> 16));
    return {static_cast<std::uint32_t>(static_cast<std::uint16_t>(low)) |
            static_cast<std::uint32_t>(static_cast<std::uint16_t>(high)) << 16};
}
/// Four of 8 bits.
template <class T, class F> [[gnu::always_inline]] inline T bytes(T a, T b, F f) {
    using E = std::conditional_t<std::is_same_v<T, Signed8x4>, std::int8_t, std::uint8_t>;
    auto const part = [&](int at) {
        auto const x = static_cast<std::int32_t>(static_cast<E>(a.bits >> at));
        auto const y = static_cast<std::int32_t>(static_cast<E>(b.bits >> at));
        return (static_cast<std::uint32_t>(f(x, y)) & 0xffu) << at;
    };
    return {part(0) | part(8) | part(16) | part(24)};
}
template <class T> [[gnu::always_inline]] inline std::int32_t clamped_to_byte(std::int32_t x) {
    constexpr std::int32_t least = std::is_same_v<T, Signed8x4> ? -128 : 0, most = least + 255;
    return x < least ? least : x > most ? most : x;
}

}  // namespace warpsim::isa::WARPSIM_HOST
