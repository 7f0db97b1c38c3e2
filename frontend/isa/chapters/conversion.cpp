// PTX ISA "Data Movement and Conversion Instructions: cvt".
#include "frontend/isa/conversion_rows.hpp"
#include "frontend/isa/line.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

/// For lines like cvt.pack, with two sources of the second type.
template <class F, int mode, class D> struct PairMode {
    template <class A> [[gnu::always_inline]] D operator()(A a, A b) const {
        return F{}.template operator()<mode, D>(a, b);
    }
};
template <class F, Type D>
constexpr std::array<Variant, 2> packing{variant<plain, PairMode<F, 0, native<D>>, D, f32, f32>({D, f32}, 0),
                                         variant<plain, PairMode<F, 1, native<D>>, D, f32, f32>({D, f32}, 1)};

// ---- functions ------------------------------------------------------------------------------------------------

constexpr auto float_to_half = []<int mode, class D>(auto a) {
    if constexpr (mode == to_nearest && std::is_same_v<decltype(a), float>) {
        return nearest_half(a, static_cast<D*>(nullptr));
    } else {
        D const number = narrowed<mode, D>(to_double(a));
        if constexpr (!std::is_same_v<decltype(a), double>) return number;
        else return D{a == a ? number.bits : narrowed_nan(a, static_cast<D*>(nullptr)).bits};
    }
};
constexpr auto half_to_half = []<class D>(auto a) { return float_to_half.operator()<to_nearest, D>(a); };
constexpr auto to_integral = []<int mode, class D>(auto a) {
    if constexpr (is_half<D>) return packed(rounded_to_integer<mode>(to_float(a)), static_cast<D*>(nullptr));
    else return rounded_to_integer<mode>(a);
};
constexpr auto widened = []<class D>(auto a) { return canonical(static_cast<D>(to_float(a))); };
constexpr auto unchanged = []<class D>(auto a) { return a; };
constexpr auto canonical_half = []<class D>(D a) { return packed(to_float(a), static_cast<D*>(nullptr)); };

template <class D> struct HalfOfPair;
template <> struct HalfOfPair<Half2> { using type = Half; };
template <> struct HalfOfPair<Bfloat2> { using type = Bfloat; };
template <> struct HalfOfPair<Half> { using type = Half; };
template <> struct HalfOfPair<Bfloat> { using type = Bfloat; };

template <bool relu, bool finite> struct Narrow {
    template <int mode, class D> [[gnu::always_inline]] D operator()(float a) const {
        return narrowed<mode, D, finite>(rectified<relu>(a));
    }
    template <int mode, class D> [[gnu::always_inline]] D operator()(float a, float b) const {
        using H = typename HalfOfPair<D>::type;
        std::uint32_t const high = narrowed<mode, H, finite>(rectified<relu>(a)).bits;
        std::uint32_t const low = narrowed<mode, H, finite>(rectified<relu>(b)).bits;
        return {high << 16 | low};
    }
};
template <Tf32Rounding mode, bool relu, bool finite> struct Tf32 {
    std::uint32_t operator()(float a) const {
        return to_tf32<mode>(static_cast<float>(rectified<relu>(a)), finite);
    }
};
template <class F>
constexpr std::array<Variant, 1> to_tf32_variants = [] {
    Variant v = variant<plain, F, u32, f32>({tf32, f32});
    v.result = b32;
    return std::array<Variant, 1>{v};
}();

/// Whether a value of one integer type may lie outside the range of the other.
constexpr bool can_exceed(Type from, Type to) {
    bool const is_signed_source = from >= s8 && from <= s64;
    bool const is_signed_target = to >= s8 && to <= s64;
    auto const bits = [](Type t) {
        return 8 << (t >= s8 ? static_cast<int>(t) - static_cast<int>(s8)
                             : static_cast<int>(t) - static_cast<int>(u8));
    };
    if (is_signed_source && !is_signed_target) return true;
    return !is_signed_source && is_signed_target ? bits(from) >= bits(to) : bits(from) > bits(to);
}
/// .sat is legal only where it can change something.
template <Type D, Type... A>
constexpr auto clamping_from = [] {
    constexpr std::size_t n = (std::size_t{can_exceed(A, D)} + ...);
    constexpr auto clamp = []<class X>(auto a) { return clamped_to<X>(a); };
    std::array<Variant, n> list{};
    std::size_t next = 0;
    auto const append = [&]<Type S>() {
        if constexpr (can_exceed(S, D)) list[next++] = variant<plain, To<decltype(clamp), D>, D, S>({D, S});
    };
    (append.template operator()<A>(), ...);
    return list;
}();
template <Type... T>
constexpr auto clamping_lists = joined(clamping_from<T, u8, u16, u32, u64, s8, s16, s32, s64>...);
constexpr auto clamping = clamping_lists<u8, u16, u32, u64, s8, s16, s32, s64>;

constexpr Since pack_since = since(7, 0, 80);

template <Word modifiers, bool relu, bool finite>
constexpr Row narrowing = row_mode<2>(line<"cvt.frnd2", modifiers, ".dtype.f32 d, a">, ".frnd2",
                                      Types<f16, bf16>{}, Types<f32>{}, pack_since, Unit::alu,
                                      Narrow<relu, finite>{});
template <Word modifiers, bool relu, bool finite>
constexpr std::array packing_rows{
    row_of(line<"cvt.frnd2", modifiers, ".f16x2.f32 d, a, b">, packing<Narrow<relu, finite>, f16x2>, pack_since,
           Unit::alu, ".frnd2"),
    row_of(line<"cvt.frnd2", modifiers, ".bf16x2.f32 d, a, b">, packing<Narrow<relu, finite>, bf16x2>, pack_since,
           Unit::alu, ".frnd2"),
};
template <Word modifiers, Tf32Rounding mode, bool relu, bool finite> constexpr Row to_tf32_row(Since since) {
    return row_of(line<"cvt", modifiers, ".tf32.f32 d, a">, to_tf32_variants<Tf32<mode, relu, finite>>, since,
                  Unit::alu);
}

constexpr auto rows = join(
    row_to("cvt.dtype.atype d, a", AllIntegers{}, AllIntegers{}, since(1, 0), Unit::alu,
           []<class D>(auto a) { return static_cast<D>(a); })
        .with(is_uniform),
    row_of("cvt.sat.dtype.atype d, a", clamping, since(1, 0), Unit::alu).with(is_uniform),

    row_to("cvt{.sat}.f32.f32 d, a", Types<f32>{}, Types<f32>{}, since(1, 0), Unit::alu, unchanged),
    row_to("cvt.ftz{.sat}.f32.f32 d, a", Types<f32>{}, Types<f32>{}, since(1, 0), Unit::alu,
           []<class D>(D a) { return canonical(flush(a)); }),
    row_mode<4, with_ftz>("cvt.irnd{.ftz}{.sat}.f32.f32 d, a", ".irnd", Types<f32>{}, Types<f32>{}, since(1, 0),
                          Unit::alu, to_integral),
    row_to("cvt{.sat}.f64.f64 d, a", Types<f64>{}, Types<f64>{}, since(1, 0, 13), Unit::fp64, unchanged),
    row_mode<4>("cvt.irnd{.sat}.f64.f64 d, a", ".irnd", Types<f64>{}, Types<f64>{}, since(1, 0, 13), Unit::fp64,
                to_integral),
    row_to("cvt{.sat}.f16.f16 d, a", Types<f16>{}, Types<f16>{}, half_conversions, Unit::alu, canonical_half),
    row_mode<4>("cvt.irnd{.sat}.f16.f16 d, a", ".irnd", Types<f16>{}, Types<f16>{}, half_conversions, Unit::alu,
                to_integral),
    row_to("cvt.bf16.bf16 d, a", Types<bf16>{}, Types<bf16>{}, bfloat_conversions, Unit::alu, canonical_half),
    row_mode<4>("cvt.irnd.bf16.bf16 d, a", ".irnd", Types<bf16>{}, Types<bf16>{}, bfloat_conversions, Unit::alu,
                to_integral),

    row_to("cvt{.sat}.f64.f32 d, a", Types<f64>{}, Types<f32>{}, since(1, 0, 13), Unit::fp64,
           []<class D>(float a) { return static_cast<D>(a); }),
    row_to("cvt.ftz{.sat}.f64.f32 d, a", Types<f64>{}, Types<f32>{}, since(1, 0, 13), Unit::fp64,
           []<class D>(float a) { return static_cast<D>(canonical(flush(a))); }),
    row_to("cvt{.sat}.f64.f16 d, a", Types<f64>{}, Types<f16>{}, half_conversions, Unit::fp64, widened),
    row_to("cvt{.frnd}.f64.bf16 d, a", Types<f64>{}, Types<bf16>{}, bfloat_conversions, Unit::fp64, widened),
    // No number of f16 is a subnormal of f32, and hardware flushes none of f16: between the two .ftz changes nothing.
    row_to("cvt{.ftz}{.sat}.f32.f16 d, a", Types<f32>{}, Types<f16>{}, half_conversions, Unit::alu, widened),
    row_to("cvt{.frnd}.f32.bf16 d, a", Types<f32>{}, Types<bf16>{}, since(7, 1, 80), Unit::alu,
           []<class D>(Bfloat a) { return to_float(a); }),
    row_to("cvt{.frnd}.ftz.f32.bf16 d, a", Types<f32>{}, Types<bf16>{}, since(7, 1, 80), Unit::alu,
           []<class D>(Bfloat a) { return canonical(flush(to_float(a))); }),
    row_to<with_ftz | with_rounding>("cvt.frnd{.ftz}{.sat}.f32.f64 d, a", Types<f32>{}, Types<f64>{},
                                     since(1, 0, 13), Unit::fp64,
                                     []<class D>(double a) { return static_cast<D>(a); }),

    row_mode<4>("cvt.frnd{.ftz}{.sat}.f16.f32 d, a", ".frnd", Types<f16>{}, Types<f32>{}, half_conversions,
                Unit::alu, float_to_half),
    row_mode<4>("cvt.frnd{.sat}.f16.f64 d, a", ".frnd", Types<f16>{}, Types<f64>{}, half_conversions, Unit::fp64,
                float_to_half),
    row_mode<4>("cvt.frnd.f16.bf16 d, a", ".frnd", Types<f16>{}, Types<bf16>{}, bfloat_conversions, Unit::alu,
                float_to_half),
    row_mode<4, with_ftz>("cvt.frnd{.ftz}.bf16.f32 d, a", ".frnd", Types<bf16>{}, Types<f32>{}, pack_since,
                          Unit::alu, float_to_half),
    row_mode<4>("cvt.frnd.bf16.f64 d, a", ".frnd", Types<bf16>{}, Types<f64>{}, bfloat_conversions, Unit::fp64,
                float_to_half),
    row_mode<4>("cvt.frnd.bf16.f16 d, a", ".frnd", Types<bf16>{}, Types<f16>{}, bfloat_conversions, Unit::alu,
                float_to_half),
    // ptxas takes these two without a rounding modifier, which Triton writes, and makes of them what it makes of .rn.
    row_to("cvt.f16.bf16 d, a", Types<f16>{}, Types<bf16>{}, bfloat_conversions, Unit::alu, half_to_half),
    row_to("cvt.bf16.f16 d, a", Types<bf16>{}, Types<f16>{}, bfloat_conversions, Unit::alu, half_to_half),

    narrowing<".relu", true, false>, narrowing<".satfinite", false, true>,
    narrowing<".relu.satfinite", true, true>, packing_rows<"", false, false>, packing_rows<".relu", true, false>,
    packing_rows<".satfinite", false, true>, packing_rows<".relu.satfinite", true, true>,

    to_tf32_row<".rna", Tf32Rounding::away, false, false>(pack_since),
    to_tf32_row<".rna.satfinite", Tf32Rounding::away, false, true>(since(8, 1, 89)),
    to_tf32_row<".rn", Tf32Rounding::even, false, false>(since(7, 8, 90)),
    to_tf32_row<".rn.relu", Tf32Rounding::even, true, false>(since(7, 8, 90)),
    to_tf32_row<".rn.satfinite", Tf32Rounding::even, false, true>(since(8, 6, 100)),
    to_tf32_row<".rn.relu.satfinite", Tf32Rounding::even, true, true>(since(8, 6, 100)),
    to_tf32_row<".rz", Tf32Rounding::zero, false, false>(since(7, 8, 90)),
    to_tf32_row<".rz.relu", Tf32Rounding::zero, true, false>(since(7, 8, 90)),
    to_tf32_row<".rz.satfinite", Tf32Rounding::zero, false, true>(since(8, 6, 100)),
    to_tf32_row<".rz.relu.satfinite", Tf32Rounding::zero, true, true>(since(8, 6, 100)));

struct Saturate {
    template <class T> T operator()(T a) const {
        if constexpr (is_half<T>) return packed(saturated(to_float(a)), static_cast<T*>(nullptr));
        else return saturated(a);
    }
};
struct SaturatePair {
    template <class T> T operator()(T a) const {
        using H = typename HalfOfPair<T>::type;
        std::uint32_t const low = Saturate{}(H{static_cast<std::uint16_t>(a.bits)}).bits;
        std::uint32_t const high = Saturate{}(H{static_cast<std::uint16_t>(a.bits >> 16)}).bits;
        return {high << 16 | low};
    }
};

}  // namespace

extern constinit std::span<Row const> const conversion{checked(rows)};

LaneFunction saturate(Type type) {
    switch (type) {
        case f32: return &run_lanes<Saturate, false, float>;
        case f64: return &run_lanes<Saturate, false, double>;
        case f16: return &run_lanes<Saturate, false, Half>;
        case bf16: return &run_lanes<Saturate, false, Bfloat>;
        case f16x2: return &run_lanes<SaturatePair, false, Half2>;
        case bf16x2: return &run_lanes<SaturatePair, false, Bfloat2>;
        default: return nullptr;
    }
}

}  // namespace warpsim::isa::WARPSIM_HOST
