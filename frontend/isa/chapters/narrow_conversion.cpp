// PTX ISA "Data Movement and Conversion Instructions: cvt" from and to numbers of 8 bits and fewer, packed in
// pairs, and cvt.pack.
#include "frontend/isa/line.hpp"
#include "frontend/isa/narrow_formats.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

template <Type T> struct FormatOf;
template <> struct FormatOf<e4m3x2> { using type = E4m3; };
template <> struct FormatOf<e5m2x2> { using type = E5m2; };
template <> struct FormatOf<e2m3x2> { using type = E2m3; };
template <> struct FormatOf<e3m2x2> { using type = E3m2; };
template <> struct FormatOf<e2m1x2> { using type = E2m1; };

/// The type of a register that holds a packed type, and the bits of one element in it.
constexpr Type carrier(Type type) { return type == e2m1x2 ? b8 : b16; }
constexpr int element_bits(Type type) { return type == e2m1x2 ? 4 : 8; }

/// `written` are the types of the line, S those of its source registers.
template <class F, Type Result, Type... S>
constexpr Variant converting(std::array<Type, 3> written, unsigned selector = 0) {
    return variant<plain, F, Result, S...>(written, selector);
}

template <Type T, bool relu> struct PackNarrow {
    using R = native<carrier(T)>;
    using Format = typename FormatOf<T>::type;
    [[gnu::always_inline]] static R pack(float high, float low) {
        return static_cast<R>(code(high) << element_bits(T) | code(low));
    }
    [[gnu::always_inline]] static std::uint32_t code(float a) { return narrow_code<Format>(rectified<relu>(a)); }
    R operator()(float a, float b) const { return pack(a, b); }
    R operator()(Half2 a) const {
        return pack(to_float(Half{static_cast<std::uint16_t>(a.bits >> 16)}),
                    to_float(Half{static_cast<std::uint16_t>(a.bits)}));
    }
    R operator()(Bfloat2 a) const {
        return pack(bits_as<float>(a.bits & 0xffff0000u), bits_as<float>(a.bits << 16));
    }
};
template <Type T, bool relu> struct UnpackNarrow {
    [[gnu::always_inline]] static std::uint32_t half(std::uint32_t code) {
        std::uint32_t const h = half_of_code<typename FormatOf<T>::type>(code);
        return relu && h >= 0x8000u ? 0 : h;
    }
    template <class S> Half2 operator()(S packed_codes) const {
        std::uint32_t const codes = packed_codes;
        constexpr std::uint32_t element = (1u << element_bits(T)) - 1;
        return {half(codes >> element_bits(T) & element) << 16 | half(codes & element)};
    }
};
template <Type T, bool relu> struct UnpackToBfloat {
    template <class S> Bfloat2 operator()(S packed_codes) const {
        std::uint32_t const halves = UnpackNarrow<T, relu>{}(packed_codes).bits;
        return {part(halves >> 16) << 16 | part(halves)};
    }

private:
    /// All numbers of 8 bits and fewer are numbers of bf16.
    [[gnu::always_inline]] static std::uint32_t part(std::uint32_t half) {
        return bits_as<std::uint32_t>(to_float(Half{static_cast<std::uint16_t>(half)})) >> 16;
    }
};
template <int mode, bool finite> struct PackPowers {
    std::uint16_t operator()(float a, float b) const {
        return static_cast<std::uint16_t>(power_code<mode == 1, finite>(a) << 8 |
                                          power_code<mode == 1, finite>(b));
    }
    std::uint16_t operator()(Bfloat2 a) const {
        return (*this)(bits_as<float>(a.bits & 0xffff0000u), bits_as<float>(a.bits << 16));
    }
};
struct UnpackPowers {
    Bfloat2 operator()(std::uint16_t codes) const {
        return {bfloat_of_power(codes >> 8 & 0xffu) << 16 | bfloat_of_power(codes & 0xffu)};
    }
};

// ---- scaled ---------------------------------------------------------------------------------------------------
// Each of two numbers has a power of two of its own, in the byte of its place.

/// The power of two of an 8-bit exponent; 0xff is NaN.
[[gnu::always_inline]] inline double scale_of(std::uint32_t exponent) {
    exponent &= 0xffu;
    return exponent == 0xffu ? __builtin_nan("") : bits_as<double>(std::uint64_t{exponent - 127u + 1023u} << 52);
}
constexpr std::uint32_t no_scale = 0x7f7f;

/// Numbers of 8 bits in two's complement, in units of 2^-6. There is no NaN: the largest number stands for it.
template <bool relu> struct PackFixed {
    [[gnu::always_inline]] static std::uint32_t code(float a, double scale) {
        double const x = static_cast<double>(a) / scale * 64;
        double const clamped = x < (relu ? 0.0 : -128.0) ? (relu ? 0.0 : -128.0) : x < 127 ? x : 127.0;
        double const rounded = clamped + 0x1.8p52 - 0x1.8p52;
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(rounded)) & 0xffu;
    }
    std::uint16_t operator()(float a, float b, std::uint16_t scales) const {
        std::uint32_t const both = scales;
        return static_cast<std::uint16_t>(code(a, scale_of(both >> 8)) << 8 | code(b, scale_of(both)));
    }
    std::uint16_t operator()(float a, float b) const { return (*this)(a, b, no_scale); }
    std::uint16_t operator()(Bfloat2 a, std::uint16_t scales) const {
        return (*this)(bits_as<float>(a.bits & 0xffff0000u), bits_as<float>(a.bits << 16), scales);
    }
    std::uint16_t operator()(Bfloat2 a) const { return (*this)(a, no_scale); }
};

/// The value of a code, which f32 holds exactly.
template <Type T> [[gnu::always_inline]] inline float value_of(std::uint32_t code) {
    if constexpr (T == s2f6x2) {
        return static_cast<float>(static_cast<std::int8_t>(code)) * 0x1p-6f;
    } else {
        std::uint32_t const half = half_of_code<typename FormatOf<T>::type>(code);
        return to_float(Half{static_cast<std::uint16_t>(half)});
    }
}
template <Type T, bool relu, bool finite> struct UnpackScaled {
    template <class S> Bfloat2 operator()(S packed_codes, std::uint16_t scales) const {
        std::uint32_t const codes = packed_codes, both = scales;
        constexpr std::uint32_t element = (1u << element_bits(T)) - 1;
        return {part(codes >> element_bits(T) & element, both >> 8) << 16 | part(codes & element, both)};
    }
    template <class S> Bfloat2 operator()(S packed_codes) const { return (*this)(packed_codes, no_scale); }

private:
    [[gnu::always_inline]] static std::uint32_t part(std::uint32_t code, std::uint32_t exponent) {
        // A product of at most 7 bits and a power of two, so that only bf16 rounds it.
        double const product = static_cast<double>(value_of<T>(code)) * scale_of(exponent);
        return narrowed<to_nearest, Bfloat, finite>(relu && product <= 0 ? 0.0 : product).bits;
    }
};

template <bool relu, Type... T>
constexpr std::array<Variant, sizeof...(T)> from_f32{
    converting<PackNarrow<T, relu>, carrier(T), f32, f32>({T, f32})...};
template <bool relu, Type... T>
constexpr std::array<Variant, sizeof...(T)> from_f16x2{
    converting<PackNarrow<T, relu>, carrier(T), f16x2>({T, f16x2})...};
template <bool relu, Type... T>
constexpr std::array<Variant, sizeof...(T)> to_f16x2{
    converting<UnpackNarrow<T, relu>, f16x2, carrier(T)>({f16x2, T})...};
template <bool relu, Type... T>
constexpr std::array<Variant, sizeof...(T)> from_bf16x2{
    converting<PackNarrow<T, relu>, carrier(T), bf16x2>({T, bf16x2})...};
template <bool relu, Type... T>
constexpr std::array<Variant, sizeof...(T)> to_bf16x2{
    converting<UnpackToBfloat<T, relu>, bf16x2, carrier(T)>({bf16x2, T})...};
/// All with and without the operand that holds the two scales.
template <bool relu, Type... scales>
constexpr std::array<Variant, 1> fixed_from_f32{
    converting<PackFixed<relu>, b16, f32, f32, scales...>({s2f6x2, f32})};
template <bool relu, Type... scales>
constexpr std::array<Variant, 1> fixed_from_bf16x2{
    converting<PackFixed<relu>, b16, bf16x2, scales...>({s2f6x2, bf16x2})};
template <bool relu, bool finite, class TypeList, Type... scales> struct ScaledVariants;
template <bool relu, bool finite, Type... T, Type... scales>
struct ScaledVariants<relu, finite, Types<T...>, scales...> {
    static constexpr std::array<Variant, sizeof...(T)> all{
        converting<UnpackScaled<T, relu, finite>, bf16x2, carrier(T), scales...>({bf16x2, T})...};
};
template <bool finite>
constexpr std::array<Variant, 2> powers_of_f32{
    converting<PackPowers<0, finite>, b16, f32, f32>({ue8m0x2, f32}, 0),
    converting<PackPowers<1, finite>, b16, f32, f32>({ue8m0x2, f32}, 1)};
template <bool finite>
constexpr std::array<Variant, 2> powers_of_bf16x2{
    converting<PackPowers<0, finite>, b16, bf16x2>({ue8m0x2, bf16x2}, 0),
    converting<PackPowers<1, finite>, b16, bf16x2>({ue8m0x2, bf16x2}, 1)};
constexpr std::array<Variant, 1> from_powers{converting<UnpackPowers, bf16x2, b16>({bf16x2, ue8m0x2})};

// ---- random rounding -----------------------------------------------------------------------------------------
// The random bits are aligned with the highest of the bits that are lost, even where a subnormal loses more.

template <class H, int bits, bool relu, bool finite> struct RandomPair {
    [[gnu::always_inline]] static std::uint32_t half(float a, std::uint32_t random) {
        // As a signed integer, because every host can convert that.
        auto const part = static_cast<std::int32_t>(random & ((1u << bits) - 1));
        return narrowed<at_random, H, finite>(rectified<relu>(a), static_cast<double>(part) * two_to(-bits)).bits;
    }
    std::uint32_t operator()(float a, float b, std::uint32_t random) const {
        return half(a, random >> 16) << 16 | half(b, random);
    }
};
template <Type T, class H, int bits, bool relu, bool finite>
constexpr std::array<Variant, 1> random_pair = [] {
    Variant v = converting<RandomPair<H, bits, relu, finite>, b32, f32, f32, b32>({T, f32});
    v.result = T;
    return std::array<Variant, 1>{v};
}();

template <Type T> struct FormatOfFour;
template <> struct FormatOfFour<e4m3x4> { using type = E4m3; };
template <> struct FormatOfFour<e5m2x4> { using type = E5m2; };
template <> struct FormatOfFour<e2m3x4> { using type = E2m3; };
template <> struct FormatOfFour<e3m2x4> { using type = E3m2; };
template <> struct FormatOfFour<e2m1x4> { using type = E2m1; };
/// a and b share 16 random bits, e and f the others: these are the halves of rbits; for e2m1, the upper and the
/// lower bytes of both halves.
template <Type T, bool relu> struct RandomFour {
    using R = native<T == e2m1x4 ? b16 : b32>;
    static constexpr int bits = T == e2m1x4 ? 4 : 8;
    [[gnu::always_inline]] static std::uint32_t code(float a, std::uint32_t random) {
        double const part = static_cast<double>(static_cast<std::int32_t>(random)) * 0x1p-16;
        return narrow_code<typename FormatOfFour<T>::type, at_random>(rectified<relu>(a), part);
    }
    R operator()(float a, float b, float e, float f, std::uint32_t random) const {
        std::uint32_t const upper = T == e2m1x4 ? (random >> 16 & 0xff00u) | (random >> 8 & 0xffu) : random >> 16;
        std::uint32_t const lower = T == e2m1x4 ? (random >> 8 & 0xff00u) | (random & 0xffu) : random & 0xffffu;
        return static_cast<R>(code(a, upper) << 3 * bits | code(b, upper) << 2 * bits | code(e, lower) << bits |
                              code(f, lower));
    }
};
template <bool relu, Type T>
constexpr Variant random_four_variant =
    converting<RandomFour<T, relu>, T == e2m1x4 ? b16 : b32, f32, f32, f32, f32, b32>({T, f32});
template <bool relu>
constexpr std::array<Variant, 5> random_four{random_four_variant<relu, e4m3x4>, random_four_variant<relu, e5m2x4>,
                                             random_four_variant<relu, e2m3x4>, random_four_variant<relu, e3m2x4>,
                                             random_four_variant<relu, e2m1x4>};

// ---- cvt.pack ------------------------------------------------------------------------------------------------

template <int bits, bool is_signed_target>
[[gnu::always_inline]] inline std::uint32_t clamped_bits(std::int32_t a) {
    constexpr std::int32_t high = (1 << (is_signed_target ? bits - 1 : bits)) - 1;
    constexpr std::int32_t low = is_signed_target ? -high - 1 : 0;
    std::int32_t const inside = a < low ? low : a > high ? high : a;
    return static_cast<std::uint32_t>(inside) & ((1u << bits) - 1);
}
/// Puts two elements below those that c holds already.
template <int bits, bool is_signed_target> struct PackIntegers {
    std::uint32_t operator()(std::int32_t a, std::int32_t b) const {
        return clamped_bits<bits, is_signed_target>(a) << bits | clamped_bits<bits, is_signed_target>(b);
    }
    std::uint32_t operator()(std::int32_t a, std::int32_t b, std::uint32_t c) const {
        if constexpr (bits < 16) return (*this)(a, b) | c << 2 * bits;
        else return (*this)(a, b);
    }
};
constexpr std::array<Variant, 2> pack_two{converting<PackIntegers<16, false>, b32, s32, s32>({u16, s32}),
                                          converting<PackIntegers<16, true>, b32, s32, s32>({s16, s32})};
template <Type U, Type S, int bits>
constexpr std::array<Variant, 2> pack_more{
    converting<PackIntegers<bits, false>, b32, s32, s32, b32>({U, s32, b32}),
    converting<PackIntegers<bits, true>, b32, s32, s32, b32>({S, s32, b32})};

constexpr Since since_f8 = since(7, 8, 89);
constexpr Since since_f6 = since(8, 6, 100);
constexpr Since since_pairs_to_narrow = only_on("100f 110f 120f", 9, 1, 100);
constexpr Since since_bf16x2 = only_on("100f 110f 120f", 9, 2, 100);
constexpr Since since_fixed = only_on("100a 103a 110a 120a 121a", 9, 1, 100);
constexpr Since since_rs = only_on("100a 103a", 8, 7, 100);

template <Word modifiers, bool relu, bool finite>
constexpr std::array random_rows{
    row_of(line<"cvt.rs", modifiers, ".f16x2.f32 d, a, b, rbits">, random_pair<f16x2, Half, 13, relu, finite>,
           since_rs, Unit::alu),
    row_of(line<"cvt.rs", modifiers, ".bf16x2.f32 d, a, b, rbits">, random_pair<bf16x2, Bfloat, 16, relu, finite>,
           since_rs, Unit::alu),
};

/// Pairs of 16-bit numbers that came with PTX 9.1 and 9.2.
template <Word relu_word, bool relu>
constexpr std::array late_pairs{
    row_of(line<"cvt.rn.satfinite", relu_word, ".dtype.f16x2 d, a">, from_f16x2<relu, e2m3x2, e3m2x2>,
           since_pairs_to_narrow, Unit::alu),
    row_of(line<"cvt.rn.satfinite", relu_word, ".dtype.bf16x2 d, a">,
           from_bf16x2<relu, e4m3x2, e5m2x2, e2m1x2, e2m3x2, e3m2x2>, since_pairs_to_narrow, Unit::alu),
    row_of(line<"cvt.rn", relu_word, ".bf16x2.atype d, a">,
           to_bf16x2<relu, e4m3x2, e5m2x2, e2m1x2, e2m3x2, e3m2x2>, since_bf16x2, Unit::alu),
};
/// From and to numbers of fixed point, and to bf16 with a scale for each number.
template <Word relu_word, bool relu>
constexpr std::array fixed_rows{
    row_of(line<"cvt.rn.satfinite", relu_word, ".dtype.f32 d, a, b">, fixed_from_f32<relu>, since_fixed,
           Unit::alu),
    row_of(line<"cvt.rn.satfinite", relu_word, ".scaled::n2::ue8m0.dtype.f32 d, a, b, scale-factor">,
           fixed_from_f32<relu, b16>, since_fixed, Unit::alu),
    row_of(line<"cvt.rn.satfinite", relu_word, ".dtype.bf16x2 d, a">, fixed_from_bf16x2<relu>, since_fixed,
           Unit::alu),
    row_of(line<"cvt.rn.satfinite", relu_word, ".scaled::n2::ue8m0.dtype.bf16x2 d, a, scale-factor">,
           fixed_from_bf16x2<relu, b16>, since_fixed, Unit::alu),
};
using Narrow = Types<e4m3x2, e5m2x2, e2m1x2, e2m3x2, e3m2x2>;
using Fixed = Types<s2f6x2>;
template <Word modifiers, bool relu, bool finite>
constexpr std::array scaled_rows{
    row_of(line<"cvt.rn", modifiers, ".bf16x2.atype d, a">, ScaledVariants<relu, finite, Fixed>::all, since_fixed,
           Unit::alu),
    row_of(line<"cvt.rn", modifiers, ".scaled::n2::ue8m0.bf16x2.atype d, a, scale-factor">,
           ScaledVariants<relu, finite, Fixed, b16>::all, since_fixed, Unit::alu),
    row_of(line<"cvt.rn", modifiers, ".scaled::n2::ue8m0.bf16x2.atype d, a, scale-factor">,
           ScaledVariants<relu, finite, Narrow, b16>::all, since_bf16x2, Unit::alu),
};

constexpr auto rows = join(
    row_of("cvt.rn.satfinite.dtype.f32 d, a, b", from_f32<false, e4m3x2, e5m2x2>, since_f8, Unit::alu),
    row_of("cvt.rn.satfinite.relu.dtype.f32 d, a, b", from_f32<true, e4m3x2, e5m2x2>, since_f8, Unit::alu),
    row_of("cvt.rn.satfinite.dtype.f16x2 d, a", from_f16x2<false, e4m3x2, e5m2x2>, since_f8, Unit::alu),
    row_of("cvt.rn.satfinite.relu.dtype.f16x2 d, a", from_f16x2<true, e4m3x2, e5m2x2>, since_f8, Unit::alu),
    row_of("cvt.rn.f16x2.atype d, a", to_f16x2<false, e4m3x2, e5m2x2>, since_f8, Unit::alu),
    row_of("cvt.rn.relu.f16x2.atype d, a", to_f16x2<true, e4m3x2, e5m2x2>, since_f8, Unit::alu),
    row_of("cvt.rn.satfinite.dtype.f32 d, a, b", from_f32<false, e2m1x2, e2m3x2, e3m2x2>, since_f6, Unit::alu),
    row_of("cvt.rn.satfinite.relu.dtype.f32 d, a, b", from_f32<true, e2m1x2, e2m3x2, e3m2x2>, since_f6, Unit::alu),
    row_of("cvt.rn.satfinite.dtype.f16x2 d, a", from_f16x2<false, e2m1x2>, since_f6, Unit::alu),
    row_of("cvt.rn.satfinite.relu.dtype.f16x2 d, a", from_f16x2<true, e2m1x2>, since_f6, Unit::alu),
    row_of("cvt.rn.f16x2.atype d, a", to_f16x2<false, e2m1x2, e2m3x2, e3m2x2>, since_f6, Unit::alu),
    row_of("cvt.rn.relu.f16x2.atype d, a", to_f16x2<true, e2m1x2, e2m3x2, e3m2x2>, since_f6, Unit::alu),
    late_pairs<"", false>, late_pairs<".relu", true>,
    row_of("cvt.rn.satfinite.bf16x2.atype d, a", ScaledVariants<false, true, Narrow>::all, since_bf16x2,
           Unit::alu),
    row_of("cvt.rn.relu.satfinite.bf16x2.atype d, a", ScaledVariants<true, true, Narrow>::all, since_bf16x2,
           Unit::alu),
    fixed_rows<"", false>, fixed_rows<".relu", true>, scaled_rows<"", false, false>,
    scaled_rows<".relu", true, false>, scaled_rows<".satfinite", false, true>,
    scaled_rows<".relu.satfinite", true, true>,
    row_of("cvt.frnd3.ue8m0x2.f32 d, a, b", powers_of_f32<false>, since_f6, Unit::alu, ".frnd3"),
    row_of("cvt.frnd3.satfinite.ue8m0x2.f32 d, a, b", powers_of_f32<true>, since_f6, Unit::alu, ".frnd3"),
    row_of("cvt.frnd3.ue8m0x2.bf16x2 d, a", powers_of_bf16x2<false>, since_f6, Unit::alu, ".frnd3"),
    row_of("cvt.frnd3.satfinite.ue8m0x2.bf16x2 d, a", powers_of_bf16x2<true>, since_f6, Unit::alu, ".frnd3"),
    row_of("cvt.rn.bf16x2.ue8m0x2 d, a", from_powers, since_f6, Unit::alu),

    random_rows<"", false, false>, random_rows<".relu", true, false>, random_rows<".satfinite", false, true>,
    random_rows<".relu.satfinite", true, true>,
    row_of("cvt.rs.satfinite.dtype.f32 d, {a, b, e, f}, rbits", random_four<false>, since_rs, Unit::alu),
    row_of("cvt.rs.relu.satfinite.dtype.f32 d, {a, b, e, f}, rbits", random_four<true>, since_rs, Unit::alu),

    row_of("cvt.pack.sat.dtype.s32 d, a, b", pack_two, since(6, 5, 72), Unit::alu),
    row_of("cvt.pack.sat.dtype.s32.b32 d, a, b, c", pack_more<u8, s8, 8>, since(6, 5, 72), Unit::alu),
    row_of("cvt.pack.sat.dtype.s32.b32 d, a, b, c", pack_more<u4, s4, 4>, since(6, 5, 75), Unit::alu),
    row_of("cvt.pack.sat.dtype.s32.b32 d, a, b, c", pack_more<u2, s2, 2>, since(6, 5, 75), Unit::alu));

}  // namespace

extern constinit std::span<Row const> const narrow_conversion{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
