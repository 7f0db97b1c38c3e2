// PTX ISA "Half Precision Floating Point Instructions" and "Mixed Precision Floating Point Instructions". Sums and
// products of 16-bit values are exact in double, or so close that rounding them once more changes nothing; fma of
// bf16 is rounded to odd first.
#include "frontend/isa/approximations.hpp"
#include "frontend/isa/conversions.hpp"
#include "frontend/isa/line.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

// ---- a function of one element, on one or two of them ---------------------------------------------------------

template <class T> struct ElementOf { using type = T; };
template <> struct ElementOf<Half2> { using type = Half; };
template <> struct ElementOf<Bfloat2> { using type = Bfloat; };

template <class F> struct Elementwise {
    template <class T, class... More> T operator()(T a, More... more) const {
        if constexpr (is_half<T>) {
            return F{}(a, more...);
        } else {
            using E = typename ElementOf<T>::type;
            std::uint32_t const low =
                F{}(E{static_cast<std::uint16_t>(a.bits)}, E{static_cast<std::uint16_t>(more.bits)}...).bits;
            std::uint32_t const high =
                F{}(E{static_cast<std::uint16_t>(a.bits >> 16)}, E{static_cast<std::uint16_t>(more.bits >> 16)}...)
                    .bits;
            return {high << 16 | low};
        }
    }
    template <class T, class... More> static T unless_tiny(T result, More... more) requires requires {
        F::unless_tiny(Half{}, typename ElementOf<More>::type{}...);
    }
    {
        if constexpr (is_half<T>) {
            return F::unless_tiny(result, more...);
        } else {
            std::uint32_t const low = F::unless_tiny(Half{static_cast<std::uint16_t>(result.bits)},
                                                     Half{static_cast<std::uint16_t>(more.bits)}...)
                                          .bits;
            std::uint32_t const high = F::unless_tiny(Half{static_cast<std::uint16_t>(result.bits >> 16)},
                                                      Half{static_cast<std::uint16_t>(more.bits >> 16)}...)
                                           .bits;
            return {high << 16 | low};
        }
    }
};
template <unsigned forms = plain, class F, Type... T>
constexpr Row half_row(std::string_view syntax, Types<T...> types, Since since, Unit unit, F) {
    return row<forms>(syntax, types, sources_of<F, Half>(), since, unit, Elementwise<F>{});
}

template <class T> [[gnu::always_inline]] inline T rounded_half(double x) { return narrowed<to_nearest, T>(x); }
/// Of an exact float.
template <class T> [[gnu::always_inline]] inline T half_of(float x) { return packed(x, static_cast<T*>(nullptr)); }

/// Sums of both formats and products of f16 may be rounded to f32 first: it has more than twice their digits, and
/// none of these results is a subnormal of f32 that is rounded.
template <class T> [[gnu::always_inline]] inline T nearest_of(float x) {
    return nearest_half(x, static_cast<T*>(nullptr));
}
template <int mode, class T> [[gnu::always_inline]] inline T multiply_add(T a, T b, T c) {
    if constexpr (mode == to_nearest && std::is_same_v<T, Half>) {
        return nearest_of<T>(sum_to_odd(to_float(a) * to_float(b), to_float(c)));
    }
    double const p = to_double(a) * to_double(b);
    double const addend = to_double(c);
    double sum = sum_to_odd(p, addend);
    // When rounding down, an exact cancellation gives -0.
    if constexpr (mode == to_lower) {
        auto const either = (bits_of_float(p) | bits_of_float(addend)) & FloatBits<double>::sign;
        sum = sum == 0 ? bits_as<double>(bits_of_float(sum) | either) : sum;
    }
    return narrowed<mode, T>(sum);
}
template <class T> [[gnu::always_inline]] inline T rectified_half(T a) {
    // NaN is let through.
    bool const negative =
        (a.bits & 0x8000u) != 0 && (a.bits & 0x7fffu) <= (std::is_same_v<T, Half> ? 0x7c00u : 0x7f80u);
    return {static_cast<std::uint16_t>(negative ? 0 : a.bits)};
}

constexpr auto add_halves = []<class T>(T a, T b) { return nearest_of<T>(to_float(a) + to_float(b)); };
constexpr auto subtract_halves = []<class T>(T a, T b) { return nearest_of<T>(to_float(a) - to_float(b)); };
/// For `.ftz`: zero where a * b + c, which is exact in double, is less than the least normal number when it is rounded to
/// eleven digits.
[[gnu::always_inline]] inline Half half_if_normal(Half result, Half a, Half b, Half c) {
    bool const is_least = (result.bits & 0x7fffu) == 0x0400u;
    bool const is_below = absolute(to_double(a) * to_double(b) + to_double(c)) < 0x1p-14 - 0x1p-26;
    return Half{static_cast<std::uint16_t>(is_least && is_below ? result.bits & 0x8000u : result.bits)};
}
struct MultiplyHalves {
    template <class T> [[gnu::always_inline]] T operator()(T a, T b) const {
        if constexpr (std::is_same_v<T, Half>) return nearest_of<T>(to_float(a) * to_float(b));
        else return rounded_half<T>(to_double(a) * to_double(b));
    }
    [[gnu::always_inline]] static Half unless_tiny(Half result, Half a, Half b) {
        return half_if_normal(result, a, b, Half{0});
    }
};
struct FmaHalves {
    template <class T> [[gnu::always_inline]] T operator()(T a, T b, T c) const {
        return multiply_add<to_nearest>(a, b, c);
    }
    [[gnu::always_inline]] static Half unless_tiny(Half result, Half a, Half b, Half c) {
        return half_if_normal(result, a, b, c);
    }
};
struct FmaRelu : FmaHalves {
    template <class T> [[gnu::always_inline]] T operator()(T a, T b, T c) const {
        return rectified_half(multiply_add<to_nearest>(a, b, c));
    }
};
constexpr MultiplyHalves multiply_halves;
constexpr FmaHalves fma_halves;
constexpr FmaRelu fma_relu;
/// The NaN that tensor copies write for elements outside of a tensor, of either sign, makes the product's sum +0; hardware
/// does not look for it in c.
inline constexpr std::uint16_t out_of_bounds_nan = 0x7ff7;
template <bool relu>
constexpr auto fma_oob = []<class T>(T a, T b, T c) {
    T const sum = multiply_add<to_nearest>(a, b, c);
    std::uint16_t const result = relu ? rectified_half(sum).bits : sum.bits;
    bool const outside = (a.bits & 0x7fffu) == out_of_bounds_nan || (b.bits & 0x7fffu) == out_of_bounds_nan;
    return T{static_cast<std::uint16_t>(outside ? 0 : result)};
};
constexpr auto absolute_half = []<class T>(T a) { return half_of<T>(absolute(to_float(a))); };
constexpr auto opposite_half = []<class T>(T a) { return half_of<T>(opposite(to_float(a))); };
template <bool minimum, bool keep_nan>
constexpr auto extreme_half =
    []<class T>(T a, T b) { return half_of<T>(extreme<minimum, keep_nan>(to_float(a), to_float(b))); };
template <bool minimum, bool keep_nan>
constexpr auto extreme_magnitude_half =
    []<class T>(T a, T b) { return half_of<T>(extreme_magnitude<minimum, keep_nan>(to_float(a), to_float(b))); };
// Three loops, because no compiler vectorises all of it at once.
template <class F, class T>
[[gnu::flatten]] static void run_through_floats(Bases bases, Operands const& operands, LaneMask mask) {
    using E = typename ElementOf<T>::type;
    auto const* const a = column<stored<T>>(bases, operands.slot[1]);
    alignas(64) stored<T> result[warp_size] = {};
    for (unsigned at = 0; at < 8 * sizeof(T); at += 16) {
        alignas(64) float x[warp_size];
        alignas(64) float y[warp_size];
        for (int i = 0; i < warp_size; ++i) x[i] = to_float(E{static_cast<std::uint16_t>(a[i] >> at)});
        for (int i = 0; i < warp_size; ++i) y[i] = F{}(x[i]);
        for (int i = 0; i < warp_size; ++i)
            result[i] = static_cast<stored<T>>(result[i] | static_cast<stored<T>>(nearest_of<E>(y[i]).bits) << at);
    }
    store_masked(column<stored<T>>(bases, operands.slot[0]), result, mask);
}
template <class F, Type... T>
constexpr std::array<Variant, sizeof...(T)> through_floats{
    Variant{{T}, T, {T}, 1, 0, &run_through_floats<F, native<T>>, nullptr, nullptr, nullptr}...};
struct Ex2 {
    [[gnu::always_inline]] float operator()(float a) const { return approximate_ex2(a); }
};
struct Ex2Flushed {
    [[gnu::always_inline]] float operator()(float a) const { return flush(approximate_ex2(a)); }
};
struct Tanh {
    [[gnu::always_inline]] float operator()(float a) const { return approximate_tanh(a); }
};

/// fma.rnd.bf16: the mode is the selector.
template <int mode> struct FmaInMode {
    template <class T> T operator()(T a, T b, T c) const { return multiply_add<mode>(a, b, c); }
};
struct FmaSelected {
    template <int mode, class T> [[gnu::always_inline]] T operator()(T a, T b, T c) const {
        return Elementwise<FmaInMode<mode>>{}(a, b, c);
    }
};

// ---- mixed precision: 16-bit values are widened for an operation of f32 ---------------------------------------

struct MixedAdd {
    template <class T> float operator()(T a, float c) const { return canonical(to_float(a) + c); }
};
struct MixedSub {
    template <class T> float operator()(T a, float c) const { return canonical(to_float(a) - c); }
};
struct MixedFma {
    template <class T> float operator()(T a, T b, float c) const {
        return canonical(fused(to_float(a), to_float(b), c));
    }
};
template <class F>
constexpr std::array<Variant, 2> mixed_sum{variant<with_rounding, F, f32, f16, f32>({f32, f16}),
                                           variant<with_rounding, F, f32, bf16, f32>({f32, bf16})};
constexpr std::array<Variant, 2> mixed_fma{variant<with_rounding, MixedFma, f32, f16, f16, f32>({f32, f16}),
                                           variant<with_rounding, MixedFma, f32, bf16, bf16, f32>({f32, bf16})};

using F16 = Types<f16, f16x2>;
using Bf16 = Types<bf16, bf16x2>;
constexpr Since f16_since = since(4, 2, 53);
constexpr Since bf16_since = since(7, 8, 90);
constexpr Since extreme_since = since(7, 0, 80);
constexpr Since xorsign_since = since(7, 2, 86);
constexpr Since oob_since = since(8, 1, 90);
constexpr Since mixed_since = since(8, 6, 100);

template <Word name, bool smallest>
constexpr std::array extremes{
    half_row<with_ftz>(line<name, "{.ftz}.type d, a, b">, F16{}, extreme_since, Unit::fp16,
                       extreme_half<smallest, false>),
    half_row<with_ftz>(line<name, "{.ftz}.NaN.type d, a, b">, F16{}, extreme_since, Unit::fp16,
                       extreme_half<smallest, true>),
    half_row<with_ftz>(line<name, "{.ftz}.xorsign.abs.type d, a, b">, F16{}, xorsign_since, Unit::fp16,
                       extreme_magnitude_half<smallest, false>),
    half_row<with_ftz>(line<name, "{.ftz}.NaN.xorsign.abs.type d, a, b">, F16{}, xorsign_since, Unit::fp16,
                       extreme_magnitude_half<smallest, true>),
    half_row(line<name, ".type d, a, b">, Bf16{}, extreme_since, Unit::fp16, extreme_half<smallest, false>),
    half_row(line<name, ".NaN.type d, a, b">, Bf16{}, extreme_since, Unit::fp16, extreme_half<smallest, true>),
    half_row(line<name, ".xorsign.abs.type d, a, b">, Bf16{}, xorsign_since, Unit::fp16,
             extreme_magnitude_half<smallest, false>),
    half_row(line<name, ".NaN.xorsign.abs.type d, a, b">, Bf16{}, xorsign_since, Unit::fp16,
             extreme_magnitude_half<smallest, true>),
};

constexpr auto rows =
    join(half_row<with_ftz>("add{.rn}{.ftz}{.sat}.type d, a, b", F16{}, f16_since, Unit::fp16, add_halves)
             .with(is_commutative),
         half_row("add{.rn}.type d, a, b", Bf16{}, bf16_since, Unit::fp16, add_halves).with(is_commutative),
         half_row<with_ftz>("sub{.rn}{.ftz}{.sat}.type d, a, b", F16{}, f16_since, Unit::fp16, subtract_halves),
         half_row("sub{.rn}.type d, a, b", Bf16{}, bf16_since, Unit::fp16, subtract_halves),
         half_row<with_ftz>("mul{.rn}{.ftz}{.sat}.type d, a, b", F16{}, f16_since, Unit::fp16, multiply_halves)
             .with(is_commutative),
         half_row("mul{.rn}.type d, a, b", Bf16{}, bf16_since, Unit::fp16, multiply_halves).with(is_commutative),
         half_row<with_ftz>("fma.rn{.ftz}{.sat}.type d, a, b, c", F16{}, f16_since, Unit::fp16, fma_halves)
             .with(is_commutative | is_multiply_add),
         half_row<with_ftz>("fma.rn{.ftz}.relu.type d, a, b, c", F16{}, extreme_since, Unit::fp16, fma_relu)
             .with(is_commutative | is_multiply_add),
         row_selected<4>("fma.rnd.type d, a, b, c", ".rnd", Bf16{}, From<same, same, same>{}, extreme_since,
                         Unit::fp16, FmaSelected{})
             .with(is_commutative | is_multiply_add),
         half_row("fma.rn.relu.type d, a, b, c", Bf16{}, extreme_since, Unit::fp16, fma_relu)
             .with(is_commutative | is_multiply_add),
         half_row("fma.rn.oob.type d, a, b, c", Types<f16, f16x2, bf16, bf16x2>{}, oob_since, Unit::fp16,
                  fma_oob<false>)
             .with(is_commutative | is_multiply_add),
         half_row("fma.rn.oob.relu.type d, a, b, c", Types<f16, f16x2, bf16, bf16x2>{}, oob_since, Unit::fp16,
                  fma_oob<true>)
             .with(is_commutative | is_multiply_add),

         half_row<with_ftz>("abs{.ftz}.type d, a", F16{}, since(6, 5, 53), Unit::fp16, absolute_half),
         half_row("abs.type d, a", Bf16{}, extreme_since, Unit::fp16, absolute_half),
         half_row<with_ftz>("neg{.ftz}.type d, a", F16{}, since(6, 0, 53), Unit::fp16, opposite_half),
         half_row("neg.type d, a", Bf16{}, extreme_since, Unit::fp16, opposite_half),

         extremes<"min", true>, extremes<"max", false>,

         row_of("ex2.approx.atype d, a", through_floats<Ex2, f16, f16x2>, since(7, 0, 75), Unit::sfu),
         row_of("ex2.approx.ftz.btype d, a", through_floats<Ex2Flushed, bf16, bf16x2>, bf16_since, Unit::sfu),
         row_of("tanh.approx.type d, a", through_floats<Tanh, f16, f16x2>, since(7, 0, 75), Unit::sfu),
         row_of("tanh.approx.type d, a", through_floats<Tanh, bf16, bf16x2>, bf16_since, Unit::sfu),

         row_of("add{.rnd}{.sat}.f32.atype d, a, c", mixed_sum<MixedAdd>, mixed_since, Unit::fma),
         row_of("sub{.rnd}{.sat}.f32.atype d, a, c", mixed_sum<MixedSub>, mixed_since, Unit::fma),
         row_of("fma.rnd{.sat}.f32.atype d, a, b, c", mixed_fma, mixed_since, Unit::fma).with(is_multiply_add));

}  // namespace

extern constinit std::span<Row const> const half_precision{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
