// cvt of one lane. Rounding modes that cost extra on the host are compiled in; `mode` counts rn rz rm rp, and rni
// rzi rmi rpi, in the order of modifiers.hpp.
#pragma once

#include "frontend/isa/floats.hpp"
#include "frontend/isa/half.hpp"
#include "frontend/isa/integers.hpp"

namespace warpsim::isa::WARPSIM_HOST {

inline constexpr int to_nearest = 0, to_zero = 1, to_lower = 2, to_upper = 3, at_random = 4;

// ---- floating point to floating point --------------------------------------------------------------------------

/// The integer as a floating-point number; a zero keeps its sign. Adding 2^(digits - 1) rounds the fraction away.
template <int mode, class F> [[gnu::always_inline]] inline F rounded_to_integer(F x) {
    constexpr F shift = std::is_same_v<F, float> ? F(0x1p23) : F(0x1p52);
    F const magnitude = absolute(x);
    F r = (magnitude + shift) - shift;
    if constexpr (mode == to_zero) r = r > magnitude ? r - 1 : r;
    F s = with_sign_of(r, x);
    if constexpr (mode == to_lower) s = with_sign_of(s > x ? s - 1 : s, x);
    if constexpr (mode == to_upper) s = with_sign_of(s < x ? s + 1 : s, x);
    return magnitude < shift ? s : settled(x, x);
}

template <class T> struct HalfFormat;
template <> struct HalfFormat<Half> {
    static constexpr int digits = 10, lowest_exponent = -14;
    static constexpr double largest = 65504.0;
    static constexpr std::uint16_t nan = 0x7fff;
};
template <> struct HalfFormat<Bfloat> {
    static constexpr int digits = 7, lowest_exponent = -126;
    static constexpr double largest = 0x1.fep127;
    static constexpr std::uint16_t nan = 0x7fff;
};

/// The exact value must be representable, or infinity or NaN.
[[gnu::always_inline]] inline Half packed(float exact, Half*) {
    auto const bits = bits_of_float(exact);
    auto const magnitude = bits & 0x7fffffffu;
    auto const rebased = bits_of_float(bits_as<float>(magnitude) * 0x1p-112f) >> 13;
    auto const half = magnitude > 0x7f800000u ? 0x7fffu : magnitude == 0x7f800000u ? 0x7c00u : rebased;
    return {static_cast<std::uint16_t>(magnitude > 0x7f800000u ? half : half | (bits >> 16 & 0x8000u))};
}
[[gnu::always_inline]] inline Bfloat packed(float exact, Bfloat*) {
    auto const bits = bits_of_float(exact);
    return {static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : bits >> 16)};
}

/// Rounds once to 16 bits. With `finite`, overflow gives the largest number instead of infinity. At random: the
/// magnitude is rounded up when the lost fraction of the last place plus `random`, from [0, 1), reaches one.
template <int mode, class T, bool finite = false>
[[gnu::always_inline]] inline T narrowed(double x, double random = 0) {
    using Format = HalfFormat<T>;
    constexpr double smallest_normal = Format::lowest_exponent == -14 ? 0x1p-14 : 0x1p-126;
    double const magnitude = absolute(x);
    // 1.5 * 2^52 units in the last place of the result: adding that rounds to a multiple of the unit.
    double const at_least = magnitude < smallest_normal ? smallest_normal : magnitude;
    double const reference = at_least > 0x1p200 ? 0x1p200 : at_least;
    double const power = bits_as<double>(bits_of_float(reference) & FloatBits<double>::exponent);
    double const unit = power * (Format::digits == 10 ? 0x1p-10 : 0x1p-7);
    double const shift = unit * 0x1.8p52;
    double const from = mode == at_random ? magnitude + random * unit : magnitude;
    double r = (from + shift) - shift;
    bool const negative = (bits_of_float(x) & FloatBits<double>::sign) != 0;
    double const less = r > from ? r - unit : r;
    double const more = r < from ? r + unit : r;
    if constexpr (mode == to_zero || mode == at_random) r = less;
    else if constexpr (mode == to_lower) r = negative ? more : less;
    else if constexpr (mode == to_upper) r = negative ? less : more;
    double overflow = static_cast<double>(__builtin_inff());
    if constexpr (mode == to_zero || finite) overflow = Format::largest;
    else if constexpr (mode == to_lower) overflow = negative ? overflow : Format::largest;
    else if constexpr (mode == to_upper) overflow = negative ? Format::largest : overflow;
    constexpr double infinity = static_cast<double>(__builtin_inff());
    double const beyond = magnitude == infinity && !finite ? infinity : overflow;
    double const kept = r > Format::largest || magnitude == infinity ? beyond : r;
    return packed(static_cast<float>(with_sign_of(x == x ? kept : x, x)), static_cast<T*>(nullptr));
}

/// The NaN of a double: its sign and the first places of its payload, made quiet.
[[gnu::always_inline]] inline Half narrowed_nan(double nan, Half*) {
    auto const bits = bits_of_float(nan);
    return {static_cast<std::uint16_t>((bits >> 48 & 0x8000u) | 0x7e00u | (bits >> 42 & 0x3ffu))};
}
[[gnu::always_inline]] inline Bfloat narrowed_nan(double nan, Bfloat*) {
    auto const bits = bits_of_float(nan);
    return {static_cast<std::uint16_t>((bits >> 48 & 0x8000u) | 0x7fc0u | (bits >> 45 & 0x7fu))};
}

/// Rounds a float to nearest in integer arithmetic, which is four times as fast.
[[gnu::always_inline]] inline Half nearest_half(float x, Half*) {
    auto const bits = bits_of_float(x);
    auto const magnitude = bits & 0x7fffffffu;
    auto const normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - 0x38000000u) >> 13;
    // The last place of 0.5 as a float has the weight of the last place of subnormal halves.
    auto const subnormal = bits_of_float(bits_as<float>(magnitude) + 0.5f) - 0x3f000000u;
    auto const finite = magnitude < 0x38800000u ? subnormal : normal;
    auto const half = magnitude >= 0x47800000u ? 0x7c00u : finite;
    return {static_cast<std::uint16_t>(magnitude > 0x7f800000u ? 0x7fffu : half | (bits >> 16 & 0x8000u))};
}
[[gnu::always_inline]] inline Bfloat nearest_half(float x, Bfloat*) {
    auto const bits = bits_of_float(x);
    auto const rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return {static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded)};
}

template <class T> [[gnu::always_inline]] inline double to_double(T x) {
    if constexpr (is_half<T>) return static_cast<double>(to_float(x));
    else return static_cast<double>(x);
}

/// How ties are rounded; `zero` truncates.
enum class Tf32Rounding { away, even, zero };
/// tf32 is f32 with a mantissa of ten bits. NaN, as hardware has it: away from zero its payload is cut, which may leave an
/// infinity, and what is made finite is one less in the last place; in the other modes there is one NaN.
template <Tf32Rounding mode> [[gnu::always_inline]] inline std::uint32_t to_tf32(float x, bool finite) {
    auto const bits = bits_of_float(x);
    auto const magnitude = bits & 0x7fffffffu;
    auto const half = mode == Tf32Rounding::away   ? 0x1000u
                      : mode == Tf32Rounding::even ? 0xfffu + (magnitude >> 13 & 1u)
                                                   : 0u;
    auto rounded = (magnitude + half) & 0xffffe000u;
    rounded = finite && rounded >= 0x7f800000u ? 0x7f7fe000u : rounded;
    auto const cut = (bits & 0xffffe000u) - (finite ? 0x2000u : 0u);
    auto const nan = mode == Tf32Rounding::away ? cut : 0x7fffe000u;
    return magnitude > 0x7f800000u ? nan : rounded | (bits & 0x80000000u);
}

/// .relu makes negative values +0 and lets NaN through; by a mask, because with a constant 0 compilers make a
/// branch, which does not vectorise.
template <bool relu> [[gnu::always_inline]] inline double rectified(float a) {
    auto const bits = bits_of_float(a);
    if constexpr (!relu) return static_cast<double>(a);
    else return static_cast<double>(bits_as<float>(bits & (std::uint32_t{bits - 0x80000000u <= 0x7f800000u} - 1)));
}

// ---- floating point to integer --------------------------------------------------------------------------------

/// NaN gives 0, except where a 64-bit type is involved: then only the sign bit is set (PTX ISA "cvt", notes on
/// integer conversions).
template <class D, class F> [[gnu::always_inline]] inline D integer_of_nan() {
    return std::is_same_v<F, double> || sizeof(D) == 8 ? static_cast<D>(std::uint64_t{1} << (bits_of<D> - 1))
                                                       : D{0};
}
/// Converts an integral value or NaN, clamped to the type. The casts never see a value that does not fit.
template <class D, class F> [[gnu::always_inline]] inline D integer_from(F x) {
    constexpr F two_to_the_top = std::is_signed_v<D> ? F(std::uint64_t{1} << (bits_of<D> - 1))
                                                     : F(std::uint64_t{1} << (bits_of<D> - 1)) * 2;
    bool const above = x >= two_to_the_top;
    bool const below = std::is_signed_v<D> ? x < -two_to_the_top : x < 0;
    F const inside = above || below || x != x ? F(0) : x;
    D n;
    if constexpr (sizeof(D) < 4) {
        n = static_cast<D>(static_cast<std::int32_t>(inside));
    } else if constexpr (std::is_same_v<D, std::uint32_t>) {
        // The host only converts to signed integers.
        bool const upper = inside >= F(0x1p31);
        auto const low =
            static_cast<std::uint32_t>(static_cast<std::int32_t>(upper ? inside - F(0x1p31) : inside));
        n = upper ? low ^ 0x80000000u : low;
    } else {
        n = static_cast<D>(inside);
    }
    n = above ? highest<D> : below ? lowest<D> : n;
    return x != x ? integer_of_nan<D, F>() : n;
}

struct FloatToInteger {
    template <int mode, class D, class A> [[gnu::always_inline]] static D convert(A a) {
        if constexpr (is_half<A>) return integer_from<D>(rounded_to_integer<mode>(to_float(a)));
        else return integer_from<D>(rounded_to_integer<mode>(a));
    }
};

// ---- integer to floating point --------------------------------------------------------------------------------

// Hosts without AVX-512 only convert 32-bit signed integers. What compilers write for the others turns 0 into -0
// when rounding down, so the result is put together here from pieces that are converted exactly.

/// Rounded once: the sum of the first two pieces is exact.
template <class A> [[gnu::always_inline]] inline double double_of_pieces(A a) {
    auto const piece = [](A bits) { return static_cast<double>(static_cast<std::int32_t>(bits)); };
    return piece(a >> 42) * 0x1p42 + piece(a >> 21 & 0x1fffff) * 0x1p21 + piece(a & 0x1fffff);
}
/// Exact up to 51 bits; what is lost beyond them leaves a sticky bit, so that f32 and 16-bit formats round
/// correctly.
template <class A> [[gnu::always_inline]] inline double nearly(A a) {
    if constexpr (sizeof(A) < 8) {
        return static_cast<double>(static_cast<std::int32_t>(a >> 16)) * 0x1p16 +
               static_cast<double>(static_cast<std::int32_t>(a & 0xffff));
    } else {
        bool const negative = std::is_signed_v<A> && a < 0;
        auto const magnitude = static_cast<std::uint64_t>(negative ? negated(a) : a);
        std::uint64_t const sticky = magnitude >> 13 | static_cast<std::uint64_t>((magnitude & 0x1fff) != 0);
        bool const is_large = magnitude >> 51 != 0;
        double const value = double_of_pieces(is_large ? sticky : magnitude) * (is_large ? 0x1p13 : 1.0);
        return negative ? -value : value;
    }
}
/// Rounded in the host's mode.
template <class F, class A> [[gnu::always_inline]] inline F float_from(A a) {
#ifdef __AVX512F__
    return static_cast<F>(a);
#else
    if constexpr (sizeof(A) == 8) {
        if constexpr (sizeof(F) == 8) return double_of_pieces(a);
        else return static_cast<F>(nearly(a));
    } else if constexpr (std::is_same_v<A, std::uint32_t>) {
        return static_cast<F>(static_cast<std::int32_t>(a >> 16)) * F(0x1p16) +
               static_cast<F>(static_cast<std::int32_t>(a & 0xffff));
    } else {
        return static_cast<F>(a);
    }
#endif
}

// ---- integer to integer ---------------------------------------------------------------------------------------

template <class D, class A> [[gnu::always_inline]] inline D clamped_to(A a) {
    // Compared in a type that holds all values of both.
    using Wide = std::conditional_t<std::is_signed_v<A>, std::int64_t, std::uint64_t>;
    auto const x = static_cast<Wide>(a);
    if constexpr (std::is_signed_v<A>) {
        if constexpr (!std::is_signed_v<D>) {
            if constexpr (sizeof(D) >= sizeof(A)) return a < 0 ? D{0} : static_cast<D>(a);
            else return a < 0 ? D{0} : a > static_cast<A>(highest<D>) ? highest<D> : static_cast<D>(a);
        } else if constexpr (sizeof(D) >= sizeof(A)) {
            return static_cast<D>(x);
        } else {
            return a < lowest<D> ? lowest<D> : a > highest<D> ? highest<D> : static_cast<D>(a);
        }
    } else if constexpr (sizeof(D) > sizeof(A) || (sizeof(D) == sizeof(A) && !std::is_signed_v<D>)) {
        return static_cast<D>(x);
    } else {
        return a > static_cast<A>(highest<D>) ? highest<D> : static_cast<D>(a);
    }
}

// ---- .sat of floating point -----------------------------------------------------------------------------------

/// Clamped to [0, 1]; NaN and -0 give +0.
template <class F> [[gnu::always_inline]] inline F saturated(F a) { return a > 0 ? (a < 1 ? a : F(1)) : F(0); }

}  // namespace warpsim::isa::WARPSIM_HOST
