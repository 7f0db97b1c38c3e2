// Floating-point arithmetic of one lane: what f32 and f64 share, and their special values.
#pragma once

#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {

template <class F> struct FloatBits;
template <> struct FloatBits<float> {
    using type = std::uint32_t;
    static constexpr type sign = 0x80000000u, exponent = 0x7f800000u, nan = 0x7fffffffu;
};
template <> struct FloatBits<double> {
    using type = std::uint64_t;
    static constexpr type sign = 0x8000000000000000u, exponent = 0x7ff0000000000000u, nan = 0x7fffffffffffffffu;
};
template <class F> using float_bits = typename FloatBits<F>::type;

template <class F> [[gnu::always_inline]] inline float_bits<F> bits_of_float(F a) {
    return bits_as<float_bits<F>>(a);
}
template <class F> [[gnu::always_inline]] inline F canonical_nan() { return bits_as<F>(FloatBits<F>::nan); }

/// f32 instructions give one NaN, 0x7fffffff; f64 instructions pass on the payload of an operand, as the host
/// does.
[[gnu::always_inline]] inline float canonical(float a) { return a == a ? a : canonical_nan<float>(); }
[[gnu::always_inline]] inline double canonical(double a) { return a; }

[[gnu::always_inline]] inline float quiet(float) { return canonical_nan<float>(); }
[[gnu::always_inline]] inline double quiet(double nan) {
    return bits_as<double>(bits_of_float(nan) | 0x0008000000000000u);
}

/// The result of several operands. For f64, the last of those given that is NaN passes on its payload, made quiet; an
/// invalid operation gives 0xfff8000000000000, as on the host. Hosts and compilers only disagree about two NaNs.
template <class... More> [[gnu::always_inline]] inline float settled(float result, float, More...) {
    return canonical(result);
}
[[gnu::always_inline]] inline double settled(double result, double a) { return a == a ? result : quiet(a); }
template <class... More>
[[gnu::always_inline]] inline double settled(double result, double a, double b, More... more) {
    return settled(settled(result, a), b, more...);
}

template <class F> [[gnu::always_inline]] inline F absolute(F a) {
    return bits_as<F>(bits_of_float(a) & ~FloatBits<F>::sign);
}
template <class F> [[gnu::always_inline]] inline F opposite(F a) {
    return bits_as<F>(bits_of_float(a) ^ FloatBits<F>::sign);
}

[[gnu::always_inline]] inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
[[gnu::always_inline]] inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
// Vectorises in every build: the code is compiled with -fno-math-errno, so the root of a negative number sets no
// errno.
[[gnu::always_inline]] inline float square_root(float a) { return __builtin_sqrtf(a); }
[[gnu::always_inline]] inline double square_root(double a) { return __builtin_sqrt(a); }

template <class F> [[gnu::always_inline]] inline F with_sign_of(F magnitude, F sign) {
    return bits_as<F>((bits_of_float(magnitude) & ~FloatBits<F>::sign) |
                      (bits_of_float(sign) & FloatBits<F>::sign));
}

/// For `.ftz`: a * b + c was rounded to the least normal number. It is flushed where it is less once it is rounded to 24
/// digits, as if exponents had no end: which 2^64 times as large shows. Without c beyond 2^-100 nothing overflows.
[[gnu::always_inline]] inline float flushed_if_below(float result, float a, float b, float c) {
    auto const bits = bits_of_float(result);
    if ((bits & 0x7fffffffu) != 0x00800000u || absolute(c) > 0x1p-100f) return result;
    bool const is_below = absolute(fused(a * 0x1p64f, b, c * 0x1p64f)) < 0x1p-62f;
    return is_below ? bits_as<float>(bits & 0x80000000u) : result;
}

/// p + c, rounded to odd: a loss shows in the last bit, so that rounding again cannot err.
template <class F> [[gnu::always_inline]] inline F sum_to_odd(F p, F c) {
    using U = float_bits<F>;
    F const s = p + c;
    F const from_c = s - p;
    F const lost = (p - (s - from_c)) + (c - from_c);
    // Steps by one toward what was lost when the last bit is even; with bits rather than branches, so that it
    // vectorises.
    auto const bits = bits_of_float(s);
    U const step = 1 - 2 * ((bits ^ bits_of_float(lost)) >> (8 * sizeof(U) - 1));
    U const change = step & (U{0} - (~bits & 1));
    return bits_as<F>(bits + (absolute(lost) > 0 ? change : 0));
}
/// -0 is less than +0. One NaN gives the other operand, or NaN with `.NaN`; two give the canonical NaN, or of f64 the
/// second one.
template <bool minimum, bool keep_nan, class F> [[gnu::always_inline]] inline F extreme(F a, F b) {
    auto const x = bits_of_float(a);
    auto const y = bits_of_float(b);
    // Equal values can only differ in the sign of zero.
    F const equal = bits_as<F>(minimum ? x | y : x & y);
    F const ordered = (minimum ? a < b : a > b) ? a : b;
    F const number = a == b ? equal : ordered;
    if constexpr (keep_nan) {
        // A constant NaN would make compilers branch, which does not vectorise.
        auto const unordered = float_bits<F>{0} - static_cast<float_bits<F>>((a != a) | (b != b));
        return bits_as<F>((bits_of_float(number) & ~unordered) | (FloatBits<F>::nan & unordered));
    }
    return b != b ? (a != a ? quiet(b) : a) : number;  // with a NaN, `ordered` is b already
}
/// Compares the magnitudes; the sign of the result is the product of the signs.
template <bool minimum, bool keep_nan, class F> [[gnu::always_inline]] inline F extreme_magnitude(F a, F b) {
    F const magnitude = extreme<minimum, keep_nan>(absolute(a), absolute(b));
    auto const sign = (bits_of_float(a) ^ bits_of_float(b)) & FloatBits<F>::sign;
    return magnitude == magnitude ? bits_as<F>(bits_of_float(magnitude) | sign) : magnitude;
}

/// .finite .infinite .number .notanumber .normal .subnormal, in the order of modifiers.hpp.
template <int op, class F> [[gnu::always_inline]] inline bool has_property(F a) {
    using B = FloatBits<F>;
    auto const magnitude = bits_of_float(a) & ~B::sign;
    auto const exponent = magnitude & B::exponent;
    if constexpr (op == 0) return exponent != B::exponent;
    else if constexpr (op == 1) return magnitude == B::exponent;
    else if constexpr (op == 2) return magnitude <= B::exponent;
    else if constexpr (op == 3) return magnitude > B::exponent;
    else if constexpr (op == 4) return (exponent != 0 || magnitude == 0) && exponent != B::exponent;  // also zero
    else return exponent == 0 && magnitude != 0;
}

}  // namespace warpsim::isa::WARPSIM_HOST
