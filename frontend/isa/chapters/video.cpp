// PTX ISA "Video Instructions", of one word, two halves or four bytes. Rare, and with more combinations of selectors than
// are worth compiling: the modifiers are read at run time (video.hpp), and a lane at a time is computed.
#include "frontend/isa/comparisons.hpp"
#include "frontend/isa/integers.hpp"
#include "frontend/isa/video.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

/// Wide enough for every product and shift of 32-bit values before it is cut or clamped.
using Wide = Signed128;

[[gnu::always_inline]] inline VideoModifiers modifiers_of(Operands const& operands) {
    VideoModifiers m;
    __builtin_memcpy(static_cast<void*>(&m), &operands.immediate, sizeof m);
    return m;
}
template <bool is_signed_value>
[[gnu::always_inline]] inline std::int64_t field(std::uint32_t a, unsigned at, unsigned bits) {
    std::uint32_t const up = a << (32 - at - bits);
    if constexpr (is_signed_value) return static_cast<std::int32_t>(up) >> (32 - bits);
    else return up >> (32 - bits);
}
struct Part {
    unsigned at;
    unsigned bits;
};
[[gnu::always_inline]] inline Part part_of(unsigned code) {
    if (code == 0) return {0, 32};
    return code <= 4 ? Part{8 * (code - 1), 8} : Part{16 * (code - 5), 16};
}
[[gnu::always_inline]] inline Wide clamped_to_bits(Wide value, unsigned bits, bool is_signed_value) {
    Wide const high = (Wide{1} << (is_signed_value ? bits - 1 : bits)) - 1;
    Wide const low = is_signed_value ? -high - 1 : 0;
    return value < low ? low : value > high ? high : value;
}

// ---- operations ----------------------------------------------------------------------------------------------

enum class Op { add, sub, absdiff, min, max, average, shl, shr };
template <Op op>
[[gnu::always_inline]] inline Wide apply(std::int64_t a, std::int64_t b, bool wraps) {
    if constexpr (op == Op::add) return a + b;
    else if constexpr (op == Op::sub) return a - b;
    else if constexpr (op == Op::absdiff) return a < b ? b - a : a - b;
    else if constexpr (op == Op::min) return a < b ? a : b;
    else if constexpr (op == Op::max) return a > b ? a : b;
    else if constexpr (op == Op::average) return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    else {
        unsigned const amount = wraps ? static_cast<unsigned>(b & 31) : b > 32 ? 32u : static_cast<unsigned>(b);
        if constexpr (op == Op::shl) return Wide{a} * (Wide{1} << amount);
        else return Wide{a} >> amount;
    }
}
template <Op op>
struct Arithmetic {
    [[gnu::always_inline]] Wide operator()(std::int64_t a, std::int64_t b, bool wraps) const { return apply<op>(a, b, wraps); }
};
template <int op>
struct Comparing {
    [[gnu::always_inline]] Wide operator()(std::int64_t a, std::int64_t b, bool) const { return compare_values<op>(a, b) ? 1 : 0; }
};

template <class F, bool signed_d, bool signed_a, bool signed_b>
static void run_scalar(Bases bases, Operands const& operands, LaneMask mask) {
    VideoModifiers const m = modifiers_of(operands);
    Part const of_a = part_of(m.a), of_b = part_of(m.b), of_d = part_of(m.d);
    auto* const d = column<std::uint32_t>(bases, operands.slot[0]);
    auto const* const a = column<std::uint32_t>(bases, operands.slot[1]);
    auto const* const b = column<std::uint32_t>(bases, operands.slot[2]);
    auto const* const c = column<std::uint32_t>(bases, operands.slot[3]);
    for (int i = 0; i < warp_size; ++i) {
        if ((mask >> i & 1) == 0) continue;
        std::uint32_t const other = c[i];
        Wide value = F{}(field<signed_a>(a[i], of_a.at, of_a.bits), field<signed_b>(b[i], of_b.at, of_b.bits),
                         (m.flags & VideoModifiers::wraps) != 0);
        if ((m.flags & VideoModifiers::saturates) != 0) value = clamped_to_bits(value, of_d.bits, signed_d);
        auto result = static_cast<std::uint32_t>(value);
        bool const below = signed_d ? static_cast<std::int32_t>(result) < static_cast<std::int32_t>(other) : result < other;
        if (m.second == 1) result += other;
        else if (m.second != 0) result = below == (m.second == 2) ? result : other;
        if (m.d != 0) {
            std::uint32_t const replaced = ((std::uint32_t{1} << of_d.bits) - 1) << of_d.at;
            result = (other & ~replaced) | (result << of_d.at & replaced);
        }
        d[i] = result;
    }
}

/// The elements of a source are any of b:a.
template <bool is_signed_value>
[[gnu::always_inline]] inline std::int64_t chosen(std::uint32_t a, std::uint32_t b, unsigned code, unsigned elements) {
    unsigned const bits = 32 / elements;
    return field<is_signed_value>(code < elements ? a : b, code % elements * bits, bits);
}
template <class F, unsigned elements, bool signed_d, bool signed_a, bool signed_b>
static void run_elements(Bases bases, Operands const& operands, LaneMask mask) {
    constexpr unsigned bits = 32 / elements;
    constexpr std::uint32_t all = (std::uint32_t{1} << bits) - 1;
    VideoModifiers const m = modifiers_of(operands);
    auto* const d = column<std::uint32_t>(bases, operands.slot[0]);
    auto const* const a = column<std::uint32_t>(bases, operands.slot[1]);
    auto const* const b = column<std::uint32_t>(bases, operands.slot[2]);
    auto const* const c = column<std::uint32_t>(bases, operands.slot[3]);
    for (int i = 0; i < warp_size; ++i) {
        if ((mask >> i & 1) == 0) continue;
        std::uint32_t const x = a[i], y = b[i];
        std::uint32_t result = c[i];
        for (unsigned e = 0; e < elements; ++e) {
            if ((m.d >> e & 1) == 0) continue;
            Wide value = F{}(chosen<signed_a>(x, y, unsigned{m.a} >> 3 * e & 7u, elements),
                             chosen<signed_b>(x, y, unsigned{m.b} >> 3 * e & 7u, elements), false);
            if ((m.flags & VideoModifiers::saturates) != 0) value = clamped_to_bits(value, bits, signed_d);
            auto const element = static_cast<std::uint32_t>(value);
            if (m.second == 1) result += element;
            else result = (result & ~(all << bits * e)) | (element & all) << bits * e;
        }
        d[i] = result;
    }
}

/// The sum is exact; it is signed when a source is, or when something is negated.
template <bool signed_a, bool signed_b>
static void run_mad(Bases bases, Operands const& operands, LaneMask mask) {
    VideoModifiers const m = modifiers_of(operands);
    Part const of_a = part_of(m.a), of_b = part_of(m.b);
    bool const negates_product = (m.flags & VideoModifiers::negates_product) != 0;
    bool const negates_c = (m.flags & VideoModifiers::negates_c) != 0;
    bool const is_signed_product = signed_a || signed_b || negates_product;
    auto* const d = column<std::uint32_t>(bases, operands.slot[0]);
    auto const* const a = column<std::uint32_t>(bases, operands.slot[1]);
    auto const* const b = column<std::uint32_t>(bases, operands.slot[2]);
    auto const* const c = column<std::uint32_t>(bases, operands.slot[3]);
    for (int i = 0; i < warp_size; ++i) {
        if ((mask >> i & 1) == 0) continue;
        Wide const product = Wide{field<signed_a>(a[i], of_a.at, of_a.bits)} * field<signed_b>(b[i], of_b.at, of_b.bits);
        std::int64_t const addend = is_signed_product ? field<true>(c[i], 0, 32) : field<false>(c[i], 0, 32);
        Wide value = (negates_product ? -product : product) + (negates_c ? -addend : addend);
        value += (m.flags & VideoModifiers::plus_one) != 0 ? 1 : 0;
        value >>= m.scale;
        if ((m.flags & VideoModifiers::saturates) != 0) value = clamped_to_bits(value, 32, is_signed_product || negates_c);
        d[i] = static_cast<std::uint32_t>(value);
    }
}

// ---- variants ------------------------------------------------------------------------------------------------

constexpr Variant made(std::array<Type, 3> written, Type d, Type a, Type b, int sources, LaneFunction run, int selector = 0) {
    return {written, d, {a, b, sources == 3 ? d : none}, static_cast<std::uint8_t>(sources),
            static_cast<std::uint16_t>(selector), run, nullptr, nullptr, nullptr};
}
template <unsigned elements, class F, Type D, Type A, Type B>
constexpr LaneFunction function_of() {
    if constexpr (elements == 1) return &run_scalar<F, D == s32, A == s32, B == s32>;
    else return &run_elements<F, elements, D == s32, A == s32, B == s32>;
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
constexpr Variant shift_list[] = {arithmetic<1, sources, op, u32, u32, u32>, arithmetic<1, sources, op, u32, s32, u32>,
                                  arithmetic<1, sources, op, s32, u32, u32>, arithmetic<1, sources, op, s32, s32, u32>};
template <Type D, Type A, Type B>
constexpr Variant multiply_add = made({D, A, B}, D, A, B, 3, &run_mad<A == s32, B == s32>);
constexpr Variant multiply_add_list[] = {
    multiply_add<u32, u32, u32>, multiply_add<u32, u32, s32>, multiply_add<u32, s32, u32>, multiply_add<u32, s32, s32>,
    multiply_add<s32, u32, u32>, multiply_add<s32, u32, s32>, multiply_add<s32, s32, u32>, multiply_add<s32, s32, s32>};
/// The result of a comparison is unsigned.
template <unsigned elements, int sources, Type A, Type B, int... op>
constexpr std::array<Variant, sizeof...(op)> comparing(std::integer_sequence<int, op...>) {
    return {made({A, B}, u32, A, B, sources, function_of<elements, Comparing<op>, u32, A, B>(), op)...};
}
template <unsigned elements, int sources, Type A, Type B>
constexpr auto comparing_list = comparing<elements, sources, A, B>(std::make_integer_sequence<int, 6>{});
template <unsigned elements, int sources>
constexpr auto comparisons = joined(comparing_list<elements, sources, u32, u32>, comparing_list<elements, sources, u32, s32>,
                                    comparing_list<elements, sources, s32, u32>, comparing_list<elements, sources, s32, s32>);

constexpr Since scalar_since = since(2, 0, 20);
constexpr Since simd_since = since(3, 0, 30);

#define WARPSIM_SCALAR(name, modifiers, list2, list3, selector)                                                         \
    row_of(name modifiers " d, a{.asel}, b{.bsel}", list2, scalar_since, Unit::alu, selector),                          \
    row_of(name modifiers ".op2 d, a{.asel}, b{.bsel}, c", list3, scalar_since, Unit::alu, selector),                   \
    row_of(name modifiers " d.dsel, a{.asel}, b{.bsel}, c", list3, scalar_since, Unit::alu, selector)
#define WARPSIM_ARITHMETIC(name, op)                                                                                    \
    WARPSIM_SCALAR(name, ".dtype.atype.btype{.sat}", (arithmetic_list<1, 2, op>), (arithmetic_list<1, 3, op>), "")
#define WARPSIM_SHIFT(name, op)                                                                                         \
    WARPSIM_SCALAR(name, ".dtype.atype.u32{.sat}.mode_video", (shift_list<2, op>), (shift_list<3, op>), "")
#define WARPSIM_SIMD(name, op, elements)                                                                                \
    row_of(name ".dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c", arithmetic_list<elements, 3, op>,           \
           simd_since, Unit::alu),                                                                                      \
    row_of(name ".dtype.atype.btype.add d{.mask}, a{.asel}, b{.bsel}, c", arithmetic_list<elements, 3, op>,             \
           simd_since, Unit::alu)

constexpr Row rows[] = {
    WARPSIM_ARITHMETIC("vadd", Op::add),
    WARPSIM_ARITHMETIC("vsub", Op::sub),
    WARPSIM_ARITHMETIC("vabsdiff", Op::absdiff),
    WARPSIM_ARITHMETIC("vmin", Op::min),
    WARPSIM_ARITHMETIC("vmax", Op::max),
    WARPSIM_SHIFT("vshl", Op::shl),
    WARPSIM_SHIFT("vshr", Op::shr),
    row_of("vmad.dtype.atype.btype{.sat}{.scale_vmad} d, {-}a{.asel}, {-}b{.bsel}, {-}c", multiply_add_list, scalar_since,
           Unit::fma),
    row_of("vmad.dtype.atype.btype.po{.sat}{.scale_vmad} d, a{.asel}, b{.bsel}, c", multiply_add_list, scalar_since, Unit::fma),
    WARPSIM_SCALAR("vset", ".atype.btype.CmpOp", (comparisons<1, 2>), (comparisons<1, 3>), ".CmpOp"),

    WARPSIM_SIMD("vadd2", Op::add, 2),
    WARPSIM_SIMD("vsub2", Op::sub, 2),
    WARPSIM_SIMD("vavrg2", Op::average, 2),
    WARPSIM_SIMD("vabsdiff2", Op::absdiff, 2),
    WARPSIM_SIMD("vmin2", Op::min, 2),
    WARPSIM_SIMD("vmax2", Op::max, 2),
    row_of("vset2.atype.btype.CmpOp d{.mask}, a{.asel}, b{.bsel}, c", comparisons<2, 3>, simd_since, Unit::alu, ".CmpOp"),
    row_of("vset2.atype.btype.CmpOp.add d{.mask}, a{.asel}, b{.bsel}, c", comparisons<2, 3>, simd_since, Unit::alu, ".CmpOp"),
    WARPSIM_SIMD("vadd4", Op::add, 4),
    WARPSIM_SIMD("vsub4", Op::sub, 4),
    WARPSIM_SIMD("vavrg4", Op::average, 4),
    WARPSIM_SIMD("vabsdiff4", Op::absdiff, 4),
    WARPSIM_SIMD("vmin4", Op::min, 4),
    WARPSIM_SIMD("vmax4", Op::max, 4),
    row_of("vset4.atype.btype.CmpOp d{.mask}, a{.asel}, b{.bsel}, c", comparisons<4, 3>, simd_since, Unit::alu, ".CmpOp"),
    row_of("vset4.atype.btype.CmpOp.add d{.mask}, a{.asel}, b{.bsel}, c", comparisons<4, 3>, simd_since, Unit::alu, ".CmpOp"),
};

}  // namespace

extern constinit std::span<Row const> const video{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
