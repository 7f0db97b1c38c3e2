// PTX ISA "Half Precision Comparison Instructions". As for other types, the functions compute `a CmpOp b` only.
#include "frontend/isa/comparisons.hpp"
#include "frontend/isa/line.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr auto& setp_f16 = setp_list<with_ftz, f16>;
constexpr auto& setp_bf16 = setp_list<plain, bf16>;

// ---- pairs ---------------------------------------------------------------------------------------------------

template <class T> struct ElementOf;
template <> struct ElementOf<Half2> { using type = Half; };
template <> struct ElementOf<Bfloat2> { using type = Bfloat; };
template <class T> [[gnu::always_inline]] inline auto element_at(std::uint32_t bits, std::uint32_t at) {
    return typename ElementOf<T>::type{static_cast<std::uint16_t>(bits >> at)};
}

/// One element of every lane, the one that begins at bit `at`.
template <int op, class T, bool Flush>
[[gnu::noinline, gnu::flatten]] static LaneMask compared_elements(std::uint32_t const* a, std::uint32_t const* b,
                                                                  std::uint32_t at) {
    alignas(64) std::int32_t result[warp_size];
    for (int i = 0; i < warp_size; ++i) {
        auto const x = flushed<Flush>(element_at<T>(a[i], at));
        auto const y = flushed<Flush>(element_at<T>(b[i], at));
        result[i] = Compare<op>{}(x, y) ? -1 : 0;
    }
    return sign_mask(result);
}
/// p compares the low elements, q the high ones: Operands::immediate says at which bit the element begins.
template <int op, class T, bool Flush>
static void run_compare_element(Bases bases, Operands const& operands, LaneMask mask) {
    auto const* const a = column<std::uint32_t>(bases, operands.slot[exchanges(op) ? 2 : 1]);
    auto const* const b = column<std::uint32_t>(bases, operands.slot[exchanges(op) ? 1 : 2]);
    LaneMask const result =
        compared_elements<exchanged(op), T, Flush>(a, b, static_cast<std::uint32_t>(operands.immediate & 16));
    LaneMask* const d = column<LaneMask>(bases, operands.slot[0]);
    *d = (*d & ~mask) | (result & mask);
}

constexpr std::uint16_t true_element(Type d) { return d == f16x2 ? 0x3c00 : d == bf16x2 ? 0x3f80 : 0xffff; }
[[gnu::noinline]] static void store_truths(std::uint32_t* to, LaneMask low, LaneMask high, std::uint32_t truth,
                                           LaneMask mask) {
    alignas(64) std::uint32_t chosen[warp_size];
    for (std::uint32_t i = 0; i < warp_size; ++i)
        chosen[i] = (low >> i & 1) * truth | (high >> i & 1) * (truth << 16);
    store_masked(to, chosen, mask);
}
template <int op, Type D, class T, bool Flush>
static void run_set_pair(Bases bases, Operands const& operands, LaneMask mask) {
    auto const* const a = column<std::uint32_t>(bases, operands.slot[exchanges(op) ? 2 : 1]);
    auto const* const b = column<std::uint32_t>(bases, operands.slot[exchanges(op) ? 1 : 2]);
    LaneMask const low = compared_elements<exchanged(op), T, Flush>(a, b, 0);
    LaneMask const high = compared_elements<exchanged(op), T, Flush>(a, b, 16);
    store_truths(column<std::uint32_t>(bases, operands.slot[0]), low, high, true_element(D), mask);
}

template <Type T, int op> constexpr Variant setp_pair_variant() {
    using N = native<T>;
    Variant v{{T}, pred, {T, T}, 2, op, &run_compare_element<op, N, false>, nullptr, nullptr, nullptr};
    if constexpr (T == f16x2) v.run_ftz = &run_compare_element<op, N, true>;
    return v;
}
template <unsigned forms, Type D, Type T, int op> constexpr Variant set_pair_variant() {
    using N = native<T>;
    Variant v{{D, T}, D, {T, T}, 2, op, &run_set_pair<op, D, N, false>, nullptr, nullptr, nullptr};
    if constexpr ((forms & with_ftz) != 0) v.run_ftz = &run_set_pair<op, D, N, true>;
    return v;
}
/// Calls `make` with every comparison that is legal for T.
template <Type T, class F> constexpr auto for_comparisons(F make) {
    std::array<Variant, legal_comparisons<T>> list{};
    std::size_t n = 0;
    auto const append = [&]<int op>(std::integral_constant<int, op> which) {
        if constexpr (is_legal(T, op)) list[n++] = make(which);
    };
    [&]<int... op>(std::integer_sequence<int, op...>) { (append(std::integral_constant<int, op>{}), ...); }
    (std::make_integer_sequence<int, comparison_count>{});
    return list;
}
template <Type T>
constexpr auto setp_pair = for_comparisons<T>([]<int op>(std::integral_constant<int, op>) {
    return setp_pair_variant<T, op>();
});
template <unsigned forms, Type D, Type T>
constexpr auto set_pair_of = for_comparisons<T>([]<int op>(std::integral_constant<int, op>) {
    return set_pair_variant<forms, D, T, op>();
});

// ---- lists ---------------------------------------------------------------------------------------------------

template <Type D> constexpr auto& set_ints = set_list<plain, D, b16, b32, b64, u16, u32, u64, s16, s32, s64>;
template <Type D> constexpr auto& set_f32 = set_list<with_ftz, D, f32>;
template <Type D> constexpr auto& set_f64 = set_list<plain, D, f64>;
template <Type D> constexpr auto& set_f16 = set_list<with_ftz, D, f16>;
constexpr auto set_of_f16 = joined(set_f16<u16>, set_f16<s16>, set_f16<u32>, set_f16<s32>);
constexpr auto set_of_bf16 =
    joined(set_list<plain, u16, bf16>, set_list<plain, s16, bf16>, set_list<plain, u32, bf16>,
           set_list<plain, s32, bf16>, set_list<plain, bf16, bf16>);
constexpr auto set_of_f16x2 = joined(set_pair_of<with_ftz, f16x2, f16x2>, set_pair_of<with_ftz, u32, f16x2>,
                                     set_pair_of<with_ftz, s32, f16x2>);
constexpr auto set_of_bf16x2 =
    joined(set_pair_of<plain, bf16x2, bf16x2>, set_pair_of<plain, u32, bf16x2>, set_pair_of<plain, s32, bf16x2>);

constexpr Since half_since = since(4, 2, 53);
constexpr Since bfloat_since = since(7, 8, 90);

/// The comparison alone, and combined with a predicate.
template <Word opcode, Word modifiers, Word operands>
constexpr auto compare = [](auto const& list, Since since) {
    return std::array{
        row_of(line<opcode, ".CmpOp", modifiers, " ", operands>, list, since, Unit::fp16, ".CmpOp"),
        row_of(line<opcode, ".CmpOp.BoolOp", modifiers, " ", operands, ", {!}c">, list, since, Unit::fp16,
               ".CmpOp"),
    };
};

constexpr auto rows = join(compare<"setp", "{.ftz}.f16", "p, a, b">(setp_f16, half_since),
                           compare<"setp", ".bf16", "p, a, b">(setp_bf16, bfloat_since),
                           compare<"setp", "{.ftz}.f16x2", "p|q, a, b">(setp_pair<f16x2>, half_since),
                           compare<"setp", ".bf16x2", "p|q, a, b">(setp_pair<bf16x2>, bfloat_since),

                           compare<"set", ".f16.stype", "d, a, b">(set_ints<f16>, half_since),
                           compare<"set", "{.ftz}.f16.f32", "d, a, b">(set_f32<f16>, half_since),
                           compare<"set", ".f16.f64", "d, a, b">(set_f64<f16>, half_since),
                           compare<"set", "{.ftz}.f16.f16", "d, a, b">(set_f16<f16>, half_since),
                           compare<"set", ".bf16.stype", "d, a, b">(set_ints<bf16>, bfloat_since),
                           compare<"set", ".bf16.f32", "d, a, b">(set_f32<bf16>, bfloat_since),
                           compare<"set", ".bf16.f64", "d, a, b">(set_f64<bf16>, bfloat_since),
                           compare<"set", ".bf16.f16", "d, a, b">(set_f16<bf16>, bfloat_since),
                           compare<"set", "{.ftz}.dtype.f16", "d, a, b">(set_of_f16, half_since),
                           compare<"set", ".dtype.bf16", "d, a, b">(set_of_bf16, bfloat_since),
                           compare<"set", "{.ftz}.dtype.f16x2", "d, a, b">(set_of_f16x2, half_since),
                           compare<"set", ".dtype.bf16x2", "d, a, b">(set_of_bf16x2, bfloat_since));

}  // namespace

extern constinit std::span<Row const> const half_comparison{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
