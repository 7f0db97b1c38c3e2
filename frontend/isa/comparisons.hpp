// `a CmpOp b` of one lane, and its variants for every type that the ISA compares.
#pragma once

#include "frontend/isa/half.hpp"
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {

/// The members of `.CmpOp`, in the order of modifiers.hpp.
enum Comparison : int {
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    lo,
    ls,
    hi,
    hs,
    equ,
    neu,
    ltu,
    leu,
    gtu,
    geu,
    num,
    nan_,
    comparison_count
};

/// Signed integers allow eq to ge, unsigned ones also lo to hs, untyped bits eq and ne, floats all except lo to
/// hs.
constexpr bool is_legal(Type type, int op) {
    switch (type) {
        case Type::b16:
        case Type::b32:
        case Type::b64: return op <= ne;
        case Type::s16:
        case Type::s32:
        case Type::s64: return op <= ge;
        case Type::u16:
        case Type::u32:
        case Type::u64: return op <= hs;
        default: return op <= ge || op >= equ;
    }
}

/// lo ls hi hs mean lt le gt ge.
constexpr int without_alias(int op) { return op >= lo && op <= hs ? op - lo + lt : op; }
/// The host's predicates (_MM_CMPINT_..., and _CMP_..._OQ or _UQ, quiet).
constexpr int integer_predicate(int op) {
    constexpr int predicates[] = {0, 4, 1, 2, 6, 5};
    return predicates[op];
}
constexpr int float_predicate(int op) {
    constexpr int predicates[] = {0x00, 0x0c, 0x11, 0x12, 0x1e, 0x1d, 0,    0,    0,
                                  0,    0x08, 0x04, 0x19, 0x1a, 0x16, 0x15, 0x07, 0x03};
    return predicates[op];
}

template <int op, class T> [[gnu::always_inline]] inline bool compare_values(T a, T b) {
    bool const unordered = a != a || b != b;
    if constexpr (op == eq) return a == b;
    else if constexpr (op == ne) return std::is_floating_point_v<T> ? a < b || a > b : a != b;
    else if constexpr (op == lt) return a < b;
    else if constexpr (op == le) return a <= b;
    else if constexpr (op == gt) return a > b;
    else if constexpr (op == ge) return a >= b;
    else if constexpr (op == equ) return !(a < b || a > b);
    else if constexpr (op == neu) return !(a == b);
    else if constexpr (op == ltu) return !(a >= b);
    else if constexpr (op == leu) return !(a > b);
    else if constexpr (op == gtu) return !(a <= b);
    else if constexpr (op == geu) return !(a < b);
    else if constexpr (op == num) return !unordered;
    else return unordered;
}

template <int op> struct Compare {
    template <class T> bool operator()(T a, T b) const {
        if constexpr (is_half<T>) return compare_values<op>(to_float(a), to_float(b));
        else return compare_values<op>(a, b);
    }
};

template <int op, class T>
[[gnu::flatten]] static void run_compare(Bases bases, Operands const& operands, LaneMask mask) {
    T const* const a = column<T>(bases, operands.slot[1]);
    T const* const b = column<T>(bases, operands.slot[2]);
    LaneMask result;
    if constexpr (std::is_floating_point_v<T>) result = compare_floats<float_predicate(op)>(a, b);
    else result = compare_integers<integer_predicate(op)>(a, b);
    LaneMask* const d = column<LaneMask>(bases, operands.slot[0]);
    *d = (*d & ~mask) | (result & mask);
}

template <class T> struct UnsignedOf { using type = T; };
template <class T>
requires std::is_integral_v<T>
struct UnsignedOf<T> {
    using type = std::make_unsigned_t<T>;
};
template <class T> using wrapping_bits = typename UnsignedOf<T>::type;

constexpr Type type_that_compares(Type type) {
    return type == Type::b16 ? Type::u16 : type == Type::b32 ? Type::u32 : type == Type::b64 ? Type::u64 : type;
}

template <unsigned forms, Type T, int op> constexpr Variant setp_variant() {
    constexpr int plain_op = without_alias(op);
    Variant v =
        variant<forms, Compare<plain_op>, Type::pred, type_that_compares(T), type_that_compares(T)>({T}, op);
    v.sources = {T, T};
    if constexpr (compares_into_masks && !is_half<native<T>>) v.run = &run_compare<plain_op, native<T>>;
    return v;
}

/// What `set` writes for true; false is 0. Columns of equal width are written alike, whatever their type.
template <Type D> constexpr auto truth() {
    if constexpr (sizeof(native<D>) == 2) {
        return static_cast<std::uint16_t>(D == Type::f16 ? 0x3c00 : D == Type::bf16 ? 0x3f80 : 0xffff);
    } else {
        return std::uint32_t{D == Type::f32 ? 0x3f800000u : 0xffffffffu};
    }
}

/// Greater is less with the operands exchanged, so half of the comparisons suffice.
constexpr bool exchanges(int op) { return op == gt || op == ge || op == gtu || op == geu; }
constexpr int exchanged(int op) { return op == gt ? lt : op == ge ? le : op == gtu ? ltu : op == geu ? leu : op; }

// The comparison and the store are separate calls, because `set` combines every destination with every source: it
// is too rare to be worth compiling for each pair.
template <int op, class T, bool Flush>
[[gnu::noinline, gnu::flatten]] static LaneMask compared_columns(stored<T> const* a, stored<T> const* b) {
    alignas(64) signed_of_size<sizeof(stored<T>)> result[warp_size];
    for (int i = 0; i < warp_size; ++i) {
        result[i] = Compare<op>{}(flushed<Flush>(loaded<T>(a[i])), flushed<Flush>(loaded<T>(b[i]))) ? -1 : 0;
    }
    return sign_mask(result);
}
template <class D> [[gnu::noinline]] static void store_truth(D* to, LaneMask condition, D truth, LaneMask mask) {
    alignas(64) D chosen[warp_size] = {};
    alignas(64) D truths[warp_size];
    for (D& t : truths) t = truth;
    store_masked(chosen, truths, condition);
    store_masked(to, chosen, mask);
}
template <int op, Type D, class T, bool Flush>
static void run_set(Bases bases, Operands const& operands, LaneMask mask) {
    auto const* const a = column<stored<T>>(bases, operands.slot[exchanges(op) ? 2 : 1]);
    auto const* const b = column<stored<T>>(bases, operands.slot[exchanges(op) ? 1 : 2]);
    constexpr auto value = truth<D>();
    store_truth(column<std::remove_const_t<decltype(value)>>(bases, operands.slot[0]),
                compared_columns<exchanged(op), T, Flush>(a, b), value, mask);
}
template <unsigned forms, Type D, Type T, int op> constexpr Variant set_variant() {
    constexpr int plain_op = without_alias(op);
    using N = native<type_that_compares(T)>;
    // Equality of signed integers is that of unsigned ones.
    using C = std::conditional_t<std::is_integral_v<N> && plain_op <= ne, wrapping_bits<N>, N>;
    Variant v{{D, T}, D, {T, T}, 2, op, &run_set<plain_op, D, C, false>, nullptr, nullptr, nullptr};
    if constexpr ((forms & with_ftz) != 0) v.run_ftz = &run_set<plain_op, D, C, true>;
    return v;
}

template <Type T>
inline constexpr std::size_t legal_comparisons = [] {
    std::size_t n = 0;
    for (int op = 0; op < comparison_count; ++op) n += is_legal(T, op);
    return n;
}();

template <unsigned forms, Type T> constexpr auto setp_variants() {
    std::array<Variant, legal_comparisons<T>> list{};
    std::size_t n = 0;
    auto const append = [&]<int op>(std::integral_constant<int, op>) {
        if constexpr (is_legal(T, op)) list[n++] = setp_variant<forms, T, op>();
    };
    [&]<int... op>(std::integer_sequence<int, op...>) { (append(std::integral_constant<int, op>{}), ...); }
    (std::make_integer_sequence<int, comparison_count>{});
    return list;
}
template <unsigned forms, Type D, Type T> constexpr auto set_variants() {
    std::array<Variant, legal_comparisons<T>> list{};
    std::size_t n = 0;
    auto const append = [&]<int op>(std::integral_constant<int, op>) {
        if constexpr (is_legal(T, op)) list[n++] = set_variant<forms, D, T, op>();
    };
    [&]<int... op>(std::integer_sequence<int, op...>) { (append(std::integral_constant<int, op>{}), ...); }
    (std::make_integer_sequence<int, comparison_count>{});
    return list;
}

template <unsigned forms, Type... T> constexpr auto setp_list = joined(setp_variants<forms, T>()...);
template <unsigned forms, Type D, Type... T> constexpr auto set_list = joined(set_variants<forms, D, T>()...);

}  // namespace warpsim::isa::WARPSIM_HOST
