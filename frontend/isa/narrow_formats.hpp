// Floating point of 8, 6 and 4 bits: e4m3, e5m2, e2m3, e3m2, e2m1, and the powers of two of ue8m0.
#pragma once

#include "frontend/isa/conversions.hpp"

namespace warpsim::isa::WARPSIM_HOST {

template <int exponent_bits, int mantissa_bits, int largest_code, bool has_nan> struct NarrowFormat {
    static constexpr int digits = mantissa_bits;
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr std::uint32_t sign = 1u << (exponent_bits + mantissa_bits);
    static constexpr std::uint32_t largest = largest_code;
    static constexpr bool holds_nan = has_nan;
};
// e4m3 has a NaN but no infinity; e5m2 is half precision with a shorter mantissa.
struct E4m3 : NarrowFormat<4, 3, 0x7e, true> {};
struct E5m2 : NarrowFormat<5, 2, 0x7b, true> {};
struct E2m3 : NarrowFormat<2, 3, 0x1f, false> {};
struct E3m2 : NarrowFormat<3, 2, 0x1f, false> {};
struct E2m1 : NarrowFormat<2, 1, 0x07, false> {};
inline constexpr std::uint32_t narrow_nan = 0x7f;

/// 2^n as a double.
constexpr double two_to(int n) {
    double power = 1;
    for (; n > 0; --n) power *= 2;
    for (; n < 0; ++n) power /= 2;
    return power;
}

/// Rounded to nearest, or at random as narrowed() does, and clamped to the largest number. In formats without NaN,
/// a NaN becomes the largest positive number.
template <class Format, int mode = to_nearest>
[[gnu::always_inline]] inline std::uint32_t narrow_code(double x, double random = 0) {
    constexpr double smallest_normal = two_to(1 - Format::bias);
    double const magnitude = absolute(x);
    double const at_least = magnitude < smallest_normal ? smallest_normal : magnitude;
    double const reference = at_least < 0x1p100 ? at_least : 0x1p100;
    double const power = bits_as<double>(bits_of_float(reference) & FloatBits<double>::exponent);
    double const unit = power * two_to(-Format::digits);
    double const shift = unit * 0x1.8p52;
    double const near = reference < magnitude ? reference : magnitude;
    double const from = mode == at_random ? near + random * unit : near;
    double r = from + shift - shift;
    if constexpr (mode == at_random) r = r > from ? r - unit : r;
    auto const rounded = static_cast<float>(r);
    // The format's numbers are those of f32 with another bias, subnormals included.
    std::uint32_t const code =
        bits_of_float(rounded * static_cast<float>(two_to(Format::bias - 127))) >> (23 - Format::digits);
    std::uint32_t const clamped = code > Format::largest ? Format::largest : code;
    std::uint32_t const negative = (bits_of_float(x) >> 63) != 0 ? Format::sign : 0u;
    return x == x ? clamped | negative : Format::holds_nan ? narrow_nan : Format::largest;
}

/// The half-precision number of a code; exact.
template <class Format> [[gnu::always_inline]] inline std::uint32_t half_of_code(std::uint32_t code) {
    std::uint32_t const magnitude = code & (Format::sign - 1);
    float const value =
        bits_as<float>(magnitude << (23 - Format::digits)) * static_cast<float>(two_to(127 - Format::bias));
    std::uint32_t half = packed(value, static_cast<Half*>(nullptr)).bits;
    if constexpr (std::is_same_v<Format, E5m2>) half = magnitude > 0x7c ? 0x7fffu : magnitude << 8;
    if constexpr (std::is_same_v<Format, E4m3>) half = magnitude == narrow_nan ? 0x7fffu : half;
    std::uint32_t const negative = (code & Format::sign) != 0 && half <= 0x7c00u ? 0x8000u : 0u;
    return half | negative;
}

/// The exponent of a number's magnitude, rounded toward zero or upward; 0xff is NaN. 2^-127 is a subnormal of f32.
template <bool upward, bool finite> [[gnu::always_inline]] inline std::uint32_t power_code(float x) {
    std::uint32_t const magnitude = bits_of_float(x) & 0x7fffffffu;
    std::uint32_t const exponent = magnitude >> 23;
    std::uint32_t const mantissa = magnitude & 0x7fffffu;
    bool const is_above = upward && (exponent == 0 ? mantissa > 0x400000u : mantissa != 0);
    std::uint32_t const code = exponent + static_cast<std::uint32_t>(is_above);
    std::uint32_t const kept = finite && code > 0xfe ? 0xfeu : code;
    return magnitude > 0x7f800000u ? 0xffu : kept;
}
[[gnu::always_inline]] inline std::uint32_t bfloat_of_power(std::uint32_t code) {
    return code == 0 ? 0x0040u : code == 0xff ? 0x7fffu : code << 7;
}

}  // namespace warpsim::isa::WARPSIM_HOST
