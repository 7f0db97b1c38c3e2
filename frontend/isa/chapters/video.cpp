// PTX ISA "Video Instructions", of one word, two halves or four bytes. They are rare and have more combinations of
// selectors than are worth compiling: the modifiers are read at run time (video.hpp), in loops that all forms
// share.
#include "frontend/isa/video.hpp"
#include "frontend/isa/comparisons.hpp"
#include "frontend/isa/integers.hpp"
#include "frontend/isa/line.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

[[gnu::always_inline]] inline VideoModifiers modifiers_of(Operands const& operands) {
    VideoModifiers m;
    __builtin_memcpy(static_cast<void*>(&m), &operands.immediate, sizeof m);
    return m;
}

/// Some bits of each lane of a source, as a signed or unsigned number.
struct Field {
    std::uint32_t const* lanes;
    unsigned at;
    unsigned bits;
    bool is_signed;

    [[gnu::always_inline]] std::int64_t operator[](int i) const {
        std::uint32_t const up = lanes[i] << (32 - at - bits);
        std::int64_t const wide = is_signed ? std::int64_t{static_cast<std::int32_t>(up)} : std::int64_t{up};
        return wide >> (32 - bits);
    }
};
[[gnu::always_inline]] inline Field part_of(std::uint32_t const* lanes, unsigned code, bool is_signed) {
    if (code == 0) return {lanes, 0, 32, is_signed};
    if (code <= 4) return {lanes, 8 * (code - 1), 8, is_signed};
    return {lanes, 16 * (code - 5), 16, is_signed};
}
/// Any of the elements of b:a.
[[gnu::always_inline]] inline Field element_of(std::uint32_t const* a, std::uint32_t const* b, unsigned code,
                                               unsigned elements, bool is_signed) {
    unsigned const bits = 32 / elements;
    return {code < elements ? a : b, code % elements * bits, bits, is_signed};
}
struct Limits {
    std::int64_t low = -(std::int64_t{1} << 62), high = std::int64_t{1} << 62;
};
[[gnu::always_inline]] inline Limits limits_of(bool saturates, unsigned bits, bool is_signed) {
    if (!saturates) return {};
    std::int64_t const high = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    return {is_signed ? -high - 1 : 0, high};
}

// ---- operations ----------------------------------------------------------------------------------------------

enum class Op { add, sub, absdiff, min, max, average, shl, shr };

/// Exact within 40 bits; beyond them the low 32 bits and the sign are correct, and nothing else is used.
[[gnu::always_inline]] inline std::int64_t video_left(std::int64_t a, unsigned amount) {
    unsigned const first = amount > 30 ? 30 : amount;
    std::int64_t const x = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << first);
    std::int64_t const low = x & 0xffffffff;
    std::int64_t const far = x < 0 ? low - (std::int64_t{1} << 41) : low + (std::int64_t{1} << 41);
    std::int64_t const kept = x < std::int64_t{1} << 40 && x > -(std::int64_t{1} << 40) ? x : far;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(kept) << (amount - first));
}
template <Op op> struct Arithmetic {
    [[gnu::always_inline]] std::int64_t operator()(std::int64_t a, std::int64_t b, bool wraps) const {
        if constexpr (op == Op::add) return a + b;
        else if constexpr (op == Op::sub) return a - b;
        else if constexpr (op == Op::absdiff) return a < b ? b - a : a - b;
        else if constexpr (op == Op::min) return a < b ? a : b;
        else if constexpr (op == Op::max) return a > b ? a : b;
        else if constexpr (op == Op::average) return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
        else {
            unsigned const amount = wraps    ? static_cast<unsigned>(b & 31)
                                    : b > 32 ? 32u
                                             : static_cast<unsigned>(b);
            return op == Op::shl ? video_left(a, amount) : a >> amount;
        }
    }
};
template <int op> struct Comparing {
    [[gnu::always_inline]] std::int64_t operator()(std::int64_t a, std::int64_t b, bool) const {
        return compare_values<op>(a, b) ? 1 : 0;
    }
};

using Compute = void (*)(std::uint32_t* result, Field a, Field b, Limits limits, bool wraps);
template <class F>
[[gnu::noinline, gnu::flatten]] static void compute(std::uint32_t* result, Field a, Field b, Limits limits,
                                                    bool wraps) {
    for (int i = 0; i < warp_size; ++i) {
        std::int64_t const value = F{}(a[i], b[i], wraps);
        std::int64_t const least = value < limits.low ? limits.low : value;
        result[i] = static_cast<std::uint32_t>(least > limits.high ? limits.high : least);
    }
}

struct Signs {
    bool d, a, b;
};
/// The second operation, with c, or the replacement of a part of c.
[[gnu::noinline]] static void combine(std::uint32_t* result, std::uint32_t const* c, VideoModifiers m,
                                      bool is_signed) {
    // Signed numbers compare like unsigned ones once the sign bit is inverted.
    std::uint32_t const turn = is_signed ? 0x80000000u : 0u;
    if (m.second == 1) {
        for (int i = 0; i < warp_size; ++i) result[i] += c[i];
    } else if (m.second == 2) {
        for (int i = 0; i < warp_size; ++i) result[i] = (result[i] ^ turn) < (c[i] ^ turn) ? result[i] : c[i];
    } else if (m.second == 3) {
        for (int i = 0; i < warp_size; ++i) result[i] = (result[i] ^ turn) < (c[i] ^ turn) ? c[i] : result[i];
    }
    if (m.d == 0) return;
    Field const part = part_of(c, m.d, false);
    std::uint32_t const replaced = ((std::uint32_t{1} << part.bits) - 1) << part.at;
    for (int i = 0; i < warp_size; ++i) result[i] = (c[i] & ~replaced) | (result[i] << part.at & replaced);
}
[[gnu::noinline]] static void scalar(Bases bases, Operands const& operands, LaneMask mask, Compute function,
                                     Signs is_signed) {
    VideoModifiers const m = modifiers_of(operands);
    alignas(64) std::uint32_t result[warp_size];
    unsigned const bits = part_of(nullptr, m.d, false).bits;
    function(result, part_of(column<std::uint32_t>(bases, operands.slot[1]), m.a, is_signed.a),
             part_of(column<std::uint32_t>(bases, operands.slot[2]), m.b, is_signed.b),
             limits_of((m.flags & VideoModifiers::saturates) != 0, bits, is_signed.d),
             (m.flags & VideoModifiers::wraps) != 0);
    if (m.second != 0 || m.d != 0) combine(result, column<std::uint32_t>(bases, operands.slot[3]), m, is_signed.d);
    store_masked(column<std::uint32_t>(bases, operands.slot[0]), result, mask);
}
[[gnu::noinline]] static void simd(Bases bases, Operands const& operands, LaneMask mask, Compute function,
                                   Signs is_signed, unsigned elements) {
    unsigned const bits = 32 / elements;
    std::uint32_t const all = (std::uint32_t{1} << bits) - 1;
    VideoModifiers const m = modifiers_of(operands);
    auto const* const a = column<std::uint32_t>(bases, operands.slot[1]);
    auto const* const b = column<std::uint32_t>(bases, operands.slot[2]);
    auto const* const c = column<std::uint32_t>(bases, operands.slot[3]);
    Limits const limits = limits_of((m.flags & VideoModifiers::saturates) != 0, bits, is_signed.d);
    alignas(64) std::uint32_t result[warp_size];
    for (int i = 0; i < warp_size; ++i) result[i] = c[i];
    for (unsigned e = 0; e < elements; ++e) {
        if ((m.d >> e & 1) == 0) continue;
        alignas(64) std::uint32_t element[warp_size];
        function(element, element_of(a, b, unsigned{m.a} >> 3 * e & 7u, elements, is_signed.a),
                 element_of(a, b, unsigned{m.b} >> 3 * e & 7u, elements, is_signed.b), limits, false);
        unsigned const at = bits * e;
        if (m.second == 1) {
            for (int i = 0; i < warp_size; ++i) result[i] += element[i];
        } else {
            for (int i = 0; i < warp_size; ++i) result[i] = (result[i] & ~(all << at)) | (element[i] & all) << at;
        }
    }
    store_masked(column<std::uint32_t>(bases, operands.slot[0]), result, mask);
}
template <class F, unsigned elements, bool signed_d, bool signed_a, bool signed_b>
static void run_video(Bases bases, Operands const& operands, LaneMask mask) {
    constexpr Signs signs{signed_d, signed_a, signed_b};
    if constexpr (elements == 1) scalar(bases, operands, mask, &compute<F>, signs);
    else simd(bases, operands, mask, &compute<F>, signs, elements);
}

// ---- vmad ----------------------------------------------------------------------------------------------------

/// The sum is exact; it is signed when a source is, or when something is negated.
template <bool signed_a, bool signed_b> static void run_mad(Bases bases, Operands const& operands, LaneMask mask) {
    VideoModifiers const m = modifiers_of(operands);
    bool const negates_product = (m.flags & VideoModifiers::negates_product) != 0;
    bool const negates_c = (m.flags & VideoModifiers::negates_c) != 0;
    bool const is_signed_product = signed_a || signed_b || negates_product;
    Field const a = part_of(column<std::uint32_t>(bases, operands.slot[1]), m.a, signed_a);
    Field const b = part_of(column<std::uint32_t>(bases, operands.slot[2]), m.b, signed_b);
    Field const c{column<std::uint32_t>(bases, operands.slot[3]), 0, 32, is_signed_product};
    alignas(64) std::uint32_t result[warp_size];
    Signed128 const high = (Signed128{1} << (is_signed_product || negates_c ? 31 : 32)) - 1;
    Signed128 const low = is_signed_product || negates_c ? -high - 1 : 0;
    for (int i = 0; i < warp_size; ++i) {
        // The product of unsigned words plus an addend takes 65 bits.
        Signed128 const product = Signed128{a[i]} * b[i];
        Signed128 value = (negates_product ? -product : product) + (negates_c ? -c[i] : c[i]);
        value += (m.flags & VideoModifiers::plus_one) != 0 ? 1 : 0;
        value >>= m.scale;
        if ((m.flags & VideoModifiers::saturates) != 0) value = value < low ? low : value > high ? high : value;
        result[i] = static_cast<std::uint32_t>(value);
    }
    store_masked(column<std::uint32_t>(bases, operands.slot[0]), result, mask);
}

// ---- variants ------------------------------------------------------------------------------------------------

constexpr Variant made(std::array<Type, 3> written, Type d, Type a, Type b, int sources, LaneFunction run,
                       int selector = 0) {
    return {written,
            d,
            {a, b, sources == 3 ? d : none},
            static_cast<std::uint8_t>(sources),
            static_cast<std::uint16_t>(selector),
            run,
            nullptr,
            nullptr,
            nullptr};
}
template <unsigned elements, class F, Type D, Type A, Type B> constexpr LaneFunction function_of() {
    return &run_video<F, elements, D == s32, A == s32, B == s32>;
}
template <unsigned elements, int sources, Op op, Type D, Type A, Type B>
constexpr Variant arithmetic = made({D, A, B}, D, A, B, sources, function_of<elements, Arithmetic<op>, D, A, B>());
template <unsigned elements, int sources, Op op>
constexpr Variant arithmetic_list[] = {
    arithmetic<elements, sources, op, u32, u32, u32>, arithmetic<elements, sources, op, u32, u32, s32>,
    arithmetic<elements, sources, op, u32, s32, u32>, arithmetic<elements, sources, op, u32, s32, s32>,
    arithmetic<elements, sources, op, s32, u32, u32>, arithmetic<elements, sources, op, s32, u32, s32>,
    arithmetic<elements, sources, op, s32, s32, u32>, arithmetic<elements, sources, op, s32, s32, s32>,
};
/// The amount of a shift is unsigned.
template <int sources, Op op>
constexpr Variant shift_list[] = {
    arithmetic<1, sources, op, u32, u32, u32>, arithmetic<1, sources, op, u32, s32, u32>,
    arithmetic<1, sources, op, s32, u32, u32>, arithmetic<1, sources, op, s32, s32, u32>};
template <Type D, Type A, Type B>
constexpr Variant multiply_add = made({D, A, B}, D, A, B, 3, &run_mad<A == s32, B == s32>);
constexpr Variant multiply_add_list[] = {multiply_add<u32, u32, u32>, multiply_add<u32, u32, s32>,
                                         multiply_add<u32, s32, u32>, multiply_add<u32, s32, s32>,
                                         multiply_add<s32, u32, u32>, multiply_add<s32, u32, s32>,
                                         multiply_add<s32, s32, u32>, multiply_add<s32, s32, s32>};
/// The result of a comparison is unsigned.
template <unsigned elements, int sources, Type A, Type B, int... op>
constexpr std::array<Variant, sizeof...(op)> comparing(std::integer_sequence<int, op...>) {
    return {made({A, B}, u32, A, B, sources, function_of<elements, Comparing<op>, u32, A, B>(), op)...};
}
template <unsigned elements, int sources, Type A, Type B>
constexpr auto comparing_list = comparing<elements, sources, A, B>(std::make_integer_sequence<int, 6>{});
template <unsigned elements, int sources>
constexpr auto
    comparisons = joined(comparing_list<elements, sources, u32, u32>, comparing_list<elements, sources, u32, s32>,
                         comparing_list<elements, sources, s32, u32>, comparing_list<elements, sources, s32, s32>);

constexpr Since scalar_since = since(2, 0, 20);
constexpr Since simd_since = since(3, 0, 30);

constexpr Row video_row(int elements, std::string_view syntax, std::span<Variant const> variants, Since since,
                        Unit unit, std::string_view selector = {}) {
    Row row = row_of(syntax, variants, since, unit, selector);
    row.video_elements = static_cast<std::uint8_t>(elements);
    return row;
}

/// With two sources; or with a third, which a second operation combines with the result or of which the result
/// replaces a part.
template <Word name, Word modifiers>
constexpr auto scalar_rows = [](auto const& list2, auto const& list3, std::string_view selector) {
    return std::array{
        video_row(1, line<name, modifiers, " d, a{.asel}, b{.bsel}">, list2, scalar_since, Unit::alu, selector),
        video_row(1, line<name, modifiers, ".op2 d, a{.asel}, b{.bsel}, c">, list3, scalar_since, Unit::alu,
                  selector),
        video_row(1, line<name, modifiers, " d.dsel, a{.asel}, b{.bsel}, c">, list3, scalar_since, Unit::alu,
                  selector),
    };
};
template <Word name, Op op>
constexpr auto arithmetic_rows = scalar_rows<name, ".dtype.atype.btype{.sat}">(arithmetic_list<1, 2, op>,
                                                                               arithmetic_list<1, 3, op>, "");
template <Word name, Op op>
constexpr auto shift_rows = scalar_rows<name, ".dtype.atype.u32{.sat}.mode_video">(shift_list<2, op>,
                                                                                   shift_list<3, op>, "");
/// On two halves or four bytes; instead, the sum of the results may be added to c.
template <Word name, Op op, int elements>
constexpr std::array simd_rows{
    video_row(elements, line<name, ".dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c">,
              arithmetic_list<elements, 3, op>, simd_since, Unit::alu),
    video_row(elements, line<name, ".dtype.atype.btype.add d{.mask}, a{.asel}, b{.bsel}, c">,
              arithmetic_list<elements, 3, op>, simd_since, Unit::alu),
};
template <Word name, int elements>
constexpr std::array simd_comparisons{
    video_row(elements, line<name, ".atype.btype.CmpOp d{.mask}, a{.asel}, b{.bsel}, c">, comparisons<elements, 3>,
              simd_since, Unit::alu, ".CmpOp"),
    video_row(elements, line<name, ".atype.btype.CmpOp.add d{.mask}, a{.asel}, b{.bsel}, c">,
              comparisons<elements, 3>, simd_since, Unit::alu, ".CmpOp"),
};

constexpr auto rows =
    join(arithmetic_rows<"vadd", Op::add>, arithmetic_rows<"vsub", Op::sub>,
         arithmetic_rows<"vabsdiff", Op::absdiff>, arithmetic_rows<"vmin", Op::min>,
         arithmetic_rows<"vmax", Op::max>, shift_rows<"vshl", Op::shl>, shift_rows<"vshr", Op::shr>,
         video_row(1, "vmad.dtype.atype.btype{.sat}{.scale_vmad} d, {-}a{.asel}, {-}b{.bsel}, {-}c",
                   multiply_add_list, scalar_since, Unit::fma)
             .with(is_multiply_add),
         video_row(1, "vmad.dtype.atype.btype.po{.sat}{.scale_vmad} d, a{.asel}, b{.bsel}, c", multiply_add_list,
                   scalar_since, Unit::fma)
             .with(is_multiply_add),
         scalar_rows<"vset", ".atype.btype.CmpOp">(comparisons<1, 2>, comparisons<1, 3>, ".CmpOp"),

         simd_rows<"vadd2", Op::add, 2>, simd_rows<"vsub2", Op::sub, 2>, simd_rows<"vavrg2", Op::average, 2>,
         simd_rows<"vabsdiff2", Op::absdiff, 2>, simd_rows<"vmin2", Op::min, 2>, simd_rows<"vmax2", Op::max, 2>,
         simd_comparisons<"vset2", 2>,  //
         simd_rows<"vadd4", Op::add, 4>, simd_rows<"vsub4", Op::sub, 4>, simd_rows<"vavrg4", Op::average, 4>,
         simd_rows<"vabsdiff4", Op::absdiff, 4>, simd_rows<"vmin4", Op::min, 4>, simd_rows<"vmax4", Op::max, 4>,
         simd_comparisons<"vset4", 4>);

}  // namespace

extern constinit std::span<Row const> const video{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
