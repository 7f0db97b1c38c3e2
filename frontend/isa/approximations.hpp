// The approximate functions of f32. They are computed in double without fused operations and rounded once, so that
// they are the same to the bit on every host, and closer than the errors that the ISA allows.
#pragma once

#include "frontend/isa/floats.hpp"

namespace warpsim::isa::WARPSIM_HOST {

/// The nearest integer and the rest, |rest| <= 0.5. Adding 1.5 * 2^52 leaves the integer in the low bits of the
/// sum.
struct Split {
    std::uint64_t integer;  // two's complement in the low 51 bits
    double rounded;
};
[[gnu::always_inline]] inline Split nearest(double x) {
    double const shifted = x + 0x1.8p52;
    return {bits_as<std::uint64_t>(shifted), shifted - 0x1.8p52};
}
[[gnu::always_inline]] inline double clamped(double x, double limit) {
    x = x < -limit ? -limit : x;
    return x > limit ? limit : x;
}

/// 2^x for |x| <= 1000; the series for 2^rest omits terms below 2^-30.
[[gnu::always_inline]] inline double power_of_two(double x) {
    Split const split = nearest(x);
    double const f = (x - split.rounded) * 0x1.62e42fefa39efp-1;
    double const series =
        1 + f * (1 + f * (1.0 / 2 +
                          f * (1.0 / 6 + f * (1.0 / 24 + f * (1.0 / 120 + f * (1.0 / 720 + f * (1.0 / 5040)))))));
    return series * bits_as<double>((split.integer + 1023) << 52);
}

[[gnu::always_inline]] inline float approximate_ex2(float a) {
    return canonical(static_cast<float>(power_of_two(clamped(a, 200.0))));
}

[[gnu::always_inline]] inline float approximate_lg2(float a) {
    // Every positive float is a normal double. The mantissa is reduced to [sqrt(1/2), sqrt(2)).
    auto const bits = bits_as<std::uint64_t>(static_cast<double>(a));
    std::uint64_t const offset = bits - 0x3fe6a09e667f3bcdu;
    // The exponent as a double: 2^52 + 2^51 plus a small signed integer, written as bits.
    double const exponent = bits_as<double>(0x4338000000000000u + ((offset >> 52) ^ 0x800u)) - (0x1.8p52 + 0x800);
    double const m = bits_as<double>((offset & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
    double const s = (m - 1) / (m + 1);
    double const z = s * s;
    double const series = s * (1 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11))))));
    float const finite = static_cast<float>(exponent + series * 0x1.71547652b82fep+1);
    float const infinite = a == 0 ? -__builtin_inff() : a > 0 ? a : canonical_nan<float>();
    return a > 0 && a < __builtin_inff() ? finite : infinite;
}

/// The argument is reduced by quarter turns in two steps. Beyond about 2^31 no precision remains, as on hardware:
/// the result is merely between -1 and 1.
template <unsigned phase> [[gnu::always_inline]] inline float approximate_sine(float a) {
    double const x = static_cast<double>(a);
    Split const turns = nearest(clamped(x, 0x1p40) * 0x1.45f306dc9c883p-1);
    double const r = clamped((x - turns.rounded * 0x1.921fb544p+0) - turns.rounded * 0x1.0b4611a626331p-34, 0.79);
    std::uint64_t const quadrant = turns.integer + phase;
    double const z = r * r;
    double const sine =
        r * (1 - z * (1.0 / 6 - z * (1.0 / 120 - z * (1.0 / 5040 - z * (1.0 / 362880 - z * (1.0 / 39916800))))));
    double const cosine =
        1 - z * (1.0 / 2 - z * (1.0 / 24 - z * (1.0 / 720 - z * (1.0 / 40320 - z * (1.0 / 3628800)))));
    double const value = (quadrant & 1) != 0 ? cosine : sine;
    float const result = static_cast<float>(bits_as<double>(bits_as<std::uint64_t>(value) ^ (quadrant & 2) << 62));
    return absolute(a) < __builtin_inff() ? result : canonical_nan<float>();
}
[[gnu::always_inline]] inline float approximate_sin(float a) { return approximate_sine<0>(a); }
[[gnu::always_inline]] inline float approximate_cos(float a) { return approximate_sine<1>(a); }

[[gnu::always_inline]] inline float approximate_tanh(float a) {
    double const x = static_cast<double>(absolute(a));
    double const t = power_of_two(clamped(x, 20.0) * 0x1.71547652b82fep+1);
    // Near zero the quotient would be inexact, because t - 1 cancels.
    double const magnitude = x < 0.03 ? x - x * x * x * (1.0 / 3) : (t - 1) / (t + 1);
    return canonical(with_sign_of(static_cast<float>(magnitude), a));
}

/// Two roundings of 2^-24 each.
[[gnu::always_inline]] inline float approximate_rsqrt(float a) { return canonical(1.0f / square_root(a)); }
/// Hardware multiplies by the divisor's reciprocal, which is zero beyond 2^126: then a / b is 0, or NaN for
/// infinite a.
[[gnu::always_inline]] inline float approximate_div(float a, float b) {
    bool const vanishes = absolute(b) > 0x1p126f && absolute(b) < __builtin_inff();
    float const reciprocal = with_sign_of(0.0f, b);
    return canonical(vanishes ? a * reciprocal : a / b);
}

/// The approximate functions of f64 with .ftz read and write only the upper 32 bits; subnormals are flushed, and
/// there is only one NaN.
[[gnu::always_inline]] inline double upper_word(double a) {
    auto const bits = bits_of_float(a) & 0xffffffff00000000u;
    auto const flushed_bits = (bits & FloatBits<double>::exponent) == 0 ? bits & FloatBits<double>::sign : bits;
    return bits_as<double>(a == a ? flushed_bits : 0x7fffffff00000000u);
}

}  // namespace warpsim::isa::WARPSIM_HOST
