// PTX ISA "Floating Point Instructions". `.sat` is a second pass, see saturate() of the table.
#include "frontend/isa/approximations.hpp"
#include "frontend/isa/float_pairs.hpp"
#include "frontend/isa/line.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using F32 = Types<f32>;
using F64 = Types<f64>;
constexpr Since since_f64 = since(1, 0, 13);
constexpr unsigned f32_forms = with_ftz | with_rounding;

constexpr auto add_values = [](auto a, auto b) { return settled(a + b, b); };
constexpr auto subtract = [](auto a, auto b) { return settled(a - b, b); };
struct Multiply {
    template <class T> [[gnu::always_inline]] T operator()(T a, T b) const { return settled(a * b, b); }
    [[gnu::always_inline]] static float unless_tiny(float result, float a, float b) {
        return flushed_if_below(result, a, b, 0.0f);
    }
};
struct MultiplyAdd {
    template <class T> [[gnu::always_inline]] T operator()(T a, T b, T c) const {
        return settled(fused(a, b, c), c, b);
    }
    [[gnu::always_inline]] static float unless_tiny(float result, float a, float b, float c) {
        return flushed_if_below(result, a, b, c);
    }
};
constexpr Multiply multiply;
constexpr MultiplyAdd multiply_add;
constexpr auto without_sign = [](auto a) { return settled(absolute(a), a); };
constexpr auto negative = [](auto a) { return settled(opposite(a), a); };
constexpr auto divide = [](auto a, auto b) { return settled(a / b, a); };
constexpr auto reciprocal = []<class T>(T a) { return canonical(T{1} / a); };
constexpr auto root = [](auto a) { return canonical(square_root(a)); };
constexpr auto minimum = [](auto a, auto b) { return extreme<true, false>(a, b); };
constexpr auto maximum = [](auto a, auto b) { return extreme<false, false>(a, b); };
constexpr auto minimum_nan = [](auto a, auto b) { return extreme<true, true>(a, b); };
constexpr auto maximum_nan = [](auto a, auto b) { return extreme<false, true>(a, b); };

/// On sm_1x the product is truncated to the digits of f32, with any exponent, before the sum is rounded.
constexpr auto multiply_then_add = [](float a, float b, float c) {
    double const exact = static_cast<double>(a) * static_cast<double>(b);
    double const product = bits_as<double>(bits_of_float(exact) & ~std::uint64_t{0x1fffffff});
    return canonical(static_cast<float>(sum_to_odd(exact == exact ? product : exact, static_cast<double>(c))));
};

template <bool smallest, bool keep_nan, bool magnitudes>
constexpr auto three = [](float a, float b, float c) {
    if constexpr (magnitudes) {
        return extreme<smallest, keep_nan>(extreme<smallest, keep_nan>(absolute(a), absolute(b)), absolute(c));
    } else {
        return extreme<smallest, keep_nan>(extreme<smallest, keep_nan>(a, b), c);
    }
};

template <class F, class FromList> constexpr Row pair_row(std::string_view syntax, FromList from, F) {
    return row<f32_forms>(syntax, Types<f32x2>{}, from, since(8, 6, 100), Unit::fma, Paired<F>{});
}

template <Word name, bool smallest>
constexpr std::array extremes_of_three{
    row<with_ftz>(line<name, "{.ftz}.f32 d, a, b, c">, F32{}, since(8, 8, 100), Unit::alu,
                  three<smallest, false, false>),
    row<with_ftz>(line<name, "{.ftz}.NaN.f32 d, a, b, c">, F32{}, since(8, 8, 100), Unit::alu,
                  three<smallest, true, false>),
    row<with_ftz>(line<name, "{.ftz}.abs.f32 d, a, b, c">, F32{}, since(8, 8, 100), Unit::alu,
                  three<smallest, false, true>),
    row<with_ftz>(line<name, "{.ftz}.NaN.abs.f32 d, a, b, c">, F32{}, since(8, 8, 100), Unit::alu,
                  three<smallest, true, true>),
};

constexpr auto rows = join(
    row<f32_forms>("add{.rnd}{.ftz}{.sat}.f32 d, a, b", F32{}, since(1, 0), Unit::fma, add_values)
        .with(is_commutative),
    row<with_rounding>("add{.rnd}.f64 d, a, b", F64{}, since_f64, Unit::fp64, add_values),
    row<f32_forms>("sub{.rnd}{.ftz}{.sat}.f32 d, a, b", F32{}, since(1, 0), Unit::fma, subtract),
    row<with_rounding>("sub{.rnd}.f64 d, a, b", F64{}, since_f64, Unit::fp64, subtract),
    row<f32_forms>("mul{.rnd}{.ftz}{.sat}.f32 d, a, b", F32{}, since(1, 0), Unit::fma, multiply)
        .with(is_commutative),
    row<with_rounding>("mul{.rnd}.f64 d, a, b", F64{}, since_f64, Unit::fp64, multiply),
    row<f32_forms>("fma.rnd{.ftz}{.sat}.f32 d, a, b, c", F32{}, since(2, 0, 20), Unit::fma, multiply_add)
        .with(is_commutative | is_multiply_add),
    row<with_rounding>("fma.rnd.f64 d, a, b, c", F64{}, since(1, 4, 13), Unit::fp64, multiply_add)
        .with(is_multiply_add),
    row<f32_forms>("mad.rnd{.ftz}{.sat}.f32 d, a, b, c", F32{}, since(1, 0), Unit::fma, multiply_add)
        .with(is_commutative | is_multiply_add),
    row<with_ftz>("mad{.ftz}{.sat}.f32 d, a, b, c", F32{}, only_on("10-13", 1, 0, 10), Unit::fma,
                  multiply_then_add)
        .with(is_commutative | is_multiply_add),
    row<with_rounding>("mad.rnd.f64 d, a, b, c", F64{}, since_f64, Unit::fp64, multiply_add).with(is_multiply_add),

    pair_row("add{.rnd}{.ftz}.f32x2 d, a, b", From<same, same>{}, add_values).with(is_commutative),
    pair_row("sub{.rnd}{.ftz}.f32x2 d, a, b", From<same, same>{}, subtract),
    pair_row("mul{.rnd}{.ftz}.f32x2 d, a, b", From<same, same>{}, multiply).with(is_commutative),
    pair_row("fma.rnd{.ftz}.f32x2 d, a, b, c", From<same, same, same>{}, multiply_add)
        .with(is_commutative | is_multiply_add),

    row<f32_forms>("div.rnd{.ftz}.f32 d, a, b", F32{}, since(2, 0, 20), Unit::fma, divide),
    row<with_rounding>("div.rnd.f64 d, a, b", F64{}, since_f64, Unit::fp64, divide),
    row<with_ftz>("div.approx{.ftz}.f32 d, a, b", F32{}, since(1, 0), Unit::sfu,
                  [](float a, float b) { return approximate_div(a, b); }),
    row<with_ftz>("div.full{.ftz}.f32 d, a, b", F32{}, since(1, 0), Unit::sfu, divide),
    row<f32_forms>("rcp.rnd{.ftz}.f32 d, a", F32{}, since(2, 0, 20), Unit::sfu, reciprocal),
    row<with_rounding>("rcp.rnd{.ftz}.f64 d, a", F64{}, since_f64, Unit::fp64, reciprocal),
    row<with_ftz>("rcp.approx{.ftz}.f32 d, a", F32{}, since(1, 0), Unit::sfu, reciprocal),
    row("rcp.approx.ftz.f64 d, a", F64{}, since(2, 1, 20), Unit::sfu,
        [](double a) { return upper_word(1.0 / upper_word(a)); }),
    row<f32_forms>("sqrt.rnd{.ftz}.f32 d, a", F32{}, since(2, 0, 20), Unit::sfu, root),
    row<with_rounding>("sqrt.rnd.f64 d, a", F64{}, since_f64, Unit::fp64, root),
    row<with_ftz>("sqrt.approx{.ftz}.f32 d, a", F32{}, since(1, 0), Unit::sfu, root),
    row<with_ftz>("rsqrt.approx{.ftz}.f32 d, a", F32{}, since(1, 0), Unit::sfu,
                  [](float a) { return approximate_rsqrt(a); }),
    row("rsqrt.approx.f64 d, a", F64{}, since(1, 0, 13), Unit::sfu, [](double a) { return 1.0 / square_root(a); }),
    row("rsqrt.approx.ftz.f64 d, a", F64{}, since(4, 0, 20), Unit::sfu,
        [](double a) { return upper_word(1.0 / square_root(upper_word(a))); }),
    row<with_ftz>("sin.approx{.ftz}.f32 d, a", F32{}, since(1, 0), Unit::sfu,
                  [](float a) { return approximate_sin(a); }),
    row<with_ftz>("cos.approx{.ftz}.f32 d, a", F32{}, since(1, 0), Unit::sfu,
                  [](float a) { return approximate_cos(a); }),
    row<with_ftz>("lg2.approx{.ftz}.f32 d, a", F32{}, since(1, 0), Unit::sfu,
                  [](float a) { return approximate_lg2(a); }),
    row<with_ftz>("ex2.approx{.ftz}.f32 d, a", F32{}, since(1, 0), Unit::sfu,
                  [](float a) { return approximate_ex2(a); }),
    row("tanh.approx.f32 d, a", F32{}, since(7, 0, 75), Unit::sfu, [](float a) { return approximate_tanh(a); }),

    row<with_ftz>("min{.ftz}.f32 d, a, b", F32{}, since(1, 0), Unit::alu, minimum).with(is_commutative),
    row<with_ftz>("min{.ftz}.NaN.f32 d, a, b", F32{}, since(7, 0, 80), Unit::alu, minimum_nan)
        .with(is_commutative),
    row<with_ftz>("min{.ftz}.xorsign.abs.f32 d, a, b", F32{}, since(7, 2, 86), Unit::alu,
                  [](float a, float b) { return extreme_magnitude<true, false>(a, b); })
        .with(is_commutative),
    row<with_ftz>("min{.ftz}.NaN.xorsign.abs.f32 d, a, b", F32{}, since(7, 2, 86), Unit::alu,
                  [](float a, float b) { return extreme_magnitude<true, true>(a, b); })
        .with(is_commutative),
    row("min.f64 d, a, b", F64{}, since_f64, Unit::fp64, minimum),
    row<with_ftz>("max{.ftz}.f32 d, a, b", F32{}, since(1, 0), Unit::alu, maximum).with(is_commutative),
    row<with_ftz>("max{.ftz}.NaN.f32 d, a, b", F32{}, since(7, 0, 80), Unit::alu, maximum_nan)
        .with(is_commutative),
    row<with_ftz>("max{.ftz}.xorsign.abs.f32 d, a, b", F32{}, since(7, 2, 86), Unit::alu,
                  [](float a, float b) { return extreme_magnitude<false, false>(a, b); })
        .with(is_commutative),
    row<with_ftz>("max{.ftz}.NaN.xorsign.abs.f32 d, a, b", F32{}, since(7, 2, 86), Unit::alu,
                  [](float a, float b) { return extreme_magnitude<false, true>(a, b); })
        .with(is_commutative),
    row("max.f64 d, a, b", F64{}, since_f64, Unit::fp64, maximum),

    extremes_of_three<"min", true>, extremes_of_three<"max", false>,

    row<with_ftz>("abs{.ftz}.f32 d, a", F32{}, since(1, 0), Unit::alu, without_sign),
    row("abs.f64 d, a", F64{}, since_f64, Unit::alu, without_sign),
    row<with_ftz>("neg{.ftz}.f32 d, a", F32{}, since(1, 0), Unit::alu, negative),
    row("neg.f64 d, a", F64{}, since_f64, Unit::alu, negative),
    row("copysign.type d, a, b", Types<f32, f64>{}, since(2, 0, 20), Unit::alu,
        []<class T>(T a, T b) { return with_sign_of(b, a); }),
    row_selected<6>("testp.op_testp.type p, a", ".op_testp", Types<f32, f64>{}, From<same>{}, since(2, 0, 20),
                    Unit::alu, []<int op>(auto a) { return has_property<op>(a); }));

}  // namespace

extern constinit std::span<Row const> const floating_point{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
