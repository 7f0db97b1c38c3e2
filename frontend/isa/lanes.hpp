// Turns a pure function of one lane into functions over a column of 32, once for each legal type and once for each
// host instruction set: the chapters of the ISA are compiled several times with another WARPSIM_HOST each.
//
// Everything here lives in the namespace of its host ISA and is inlined: a weak symbol compiled with AVX must never
// be the one the linker picks for a host that has none. For the same reason lane code calls no library template.
#pragma once

#include "frontend/isa/host_lanes.hpp"
#include "frontend/isa/row.hpp"

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

namespace warpsim::isa::WARPSIM_HOST {

// ---- the C++ type of a PTX type ------------------------------------------------------------------------------

struct Half { std::uint16_t bits; };
struct Bfloat { std::uint16_t bits; };
struct Word128 { std::uint64_t low, high; };
/// Untyped bits compute as unsigned integers.
template <Type T> struct Native;
template <> struct Native<Type::b8> { using type = std::uint8_t; };
template <> struct Native<Type::b16> { using type = std::uint16_t; };
template <> struct Native<Type::b32> { using type = std::uint32_t; };
template <> struct Native<Type::b64> { using type = std::uint64_t; };
template <> struct Native<Type::b128> { using type = Word128; };
template <> struct Native<Type::u8> { using type = std::uint8_t; };
template <> struct Native<Type::u16> { using type = std::uint16_t; };
template <> struct Native<Type::u32> { using type = std::uint32_t; };
template <> struct Native<Type::u64> { using type = std::uint64_t; };
template <> struct Native<Type::s8> { using type = std::int8_t; };
template <> struct Native<Type::s16> { using type = std::int16_t; };
template <> struct Native<Type::s32> { using type = std::int32_t; };
template <> struct Native<Type::s64> { using type = std::int64_t; };
template <> struct Native<Type::f16> { using type = Half; };
template <> struct Native<Type::bf16> { using type = Bfloat; };
template <> struct Native<Type::f32> { using type = float; };
template <> struct Native<Type::f64> { using type = double; };
template <> struct Native<Type::pred> { using type = bool; };
template <Type T> using native = typename Native<T>::type;

/// The element of a column that holds a T: 8-bit values take 16.
template <class T> struct Stored { using type = T; };
template <> struct Stored<std::uint8_t> { using type = std::uint16_t; };
template <> struct Stored<std::int8_t> { using type = std::int16_t; };
template <class T> using stored = typename Stored<T>::type;

// ---- flushing of subnormals ----------------------------------------------------------------------------------

template <class T> [[gnu::always_inline]] inline T flush(T value) { return value; }
template <> [[gnu::always_inline]] inline float flush(float value) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &value, 4);
    bits = (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}
template <> [[gnu::always_inline]] inline Half flush(Half value) {
    if ((value.bits & 0x7c00) == 0) value.bits &= 0x8000;
    return value;
}

// ---- one function over 32 lanes ------------------------------------------------------------------------------

/// Reads lane `i` of a source: a predicate source is a bit of its mask.
template <class T>
struct SourceColumn {
    stored<T> const* lanes;
    [[gnu::always_inline]] SourceColumn(Bases bases, Slot slot) : lanes(column<stored<T>>(bases, slot)) {}
    [[gnu::always_inline]] T operator[](int i) const { return static_cast<T>(lanes[i]); }
};
template <>
struct SourceColumn<bool> {
    LaneMask mask;
    [[gnu::always_inline]] SourceColumn(Bases bases, Slot slot) : mask(*column<LaneMask>(bases, slot)) {}
    [[gnu::always_inline]] bool operator[](int i) const { return (mask >> i & 1) != 0; }
};

template <bool Flush, class T>
[[gnu::always_inline]] inline T flushed(T value) {
    if constexpr (Flush) return flush(value);
    else return value;
}

template <class F, bool Flush, class... S, std::size_t... I>
[[gnu::always_inline]] inline void each_lane(Bases bases, Operands const& operands, LaneMask mask,
                                             std::index_sequence<I...>) {
    using R = decltype(F{}(std::declval<S>()...));
    auto const compute = [&](auto const&... source) __attribute__((always_inline)) {
        if constexpr (std::is_same_v<R, bool>) {
            // A comparison fills lanes as wide as its operands, which is how the host's compare leaves them.
            using First = std::tuple_element_t<0, std::tuple<S...>>;
            using Wide = signed_of_size<sizeof(stored<First>)>;
            alignas(64) Wide result[warp_size];
            for (int i = 0; i < warp_size; ++i) {
                result[i] = static_cast<Wide>(F{}(flushed<Flush>(source[i])...) ? -1 : 0);
            }
            LaneMask* const d = column<LaneMask>(bases, operands.slot[0]);
            *d = (*d & ~mask) | (sign_mask(result) & mask);
        } else {
            alignas(64) stored<R> result[warp_size];
            for (int i = 0; i < warp_size; ++i) {
                result[i] = static_cast<stored<R>>(flushed<Flush>(F{}(flushed<Flush>(source[i])...)));
            }
            store_masked(column<stored<R>>(bases, operands.slot[0]), result, mask);
        }
    };
    compute(SourceColumn<S>(bases, operands.slot[1 + I])...);
}

template <class F, bool Flush, class... S>
void run_lanes(Bases bases, Operands const& operands, LaneMask mask) {
    each_lane<F, Flush, S...>(bases, operands, mask, std::index_sequence_for<S...>{});
}

/// The same under a directed rounding mode of the host, which nothing else of the process sees. The loop is a call of
/// its own so that no arithmetic moves across the change of mode.
template <class F, bool Flush, class... S>
[[gnu::noinline]] void run_lanes_in_mode(Bases bases, Operands const& operands, LaneMask mask) {
    each_lane<F, Flush, S...>(bases, operands, mask, std::index_sequence_for<S...>{});
}
template <class F, bool Flush, class... S>
void run_lanes_directed(Bases bases, Operands const& operands, LaneMask mask) {
    HostRounding const mode(static_cast<Rounding>(operands.immediate & 0xff));
    asm volatile("" : : : "memory");
    run_lanes_in_mode<F, Flush, S...>(bases, operands, mask);
    asm volatile("" : : : "memory");
}

// ---- rows ----------------------------------------------------------------------------------------------------

template <Type... T> struct Types {};
using Integers = Types<Type::u16, Type::u32, Type::u64, Type::s16, Type::s32, Type::s64>;
using Signed = Types<Type::s16, Type::s32, Type::s64>;
using Bits = Types<Type::b16, Type::b32, Type::b64>;

/// Source types that are not all the first written type: `same` stands for it, `second` for the second one.
inline constexpr Type same = Type::count;
inline constexpr Type second = Type::none;
template <Type... S> struct From {};

/// What a row is compiled for beside the plain form.
enum Forms : unsigned { plain = 0, with_ftz = 1, with_rounding = 2 };

template <class R, Type First>
constexpr Type result_type() {
    if constexpr (std::is_same_v<R, bool>) return Type::pred;
    else if constexpr (sizeof(R) == sizeof(native<First>)) return First;
    else if constexpr (std::is_same_v<R, std::uint8_t>) return Type::u8;
    else if constexpr (std::is_same_v<R, std::uint16_t>) return Type::u16;
    else if constexpr (std::is_same_v<R, std::uint32_t>) return Type::u32;
    else if constexpr (std::is_same_v<R, std::int16_t>) return Type::s16;
    else if constexpr (std::is_same_v<R, std::int32_t>) return Type::s32;
    else if constexpr (std::is_same_v<R, std::uint64_t>) return Type::u64;
    else if constexpr (std::is_same_v<R, std::int64_t>) return Type::s64;
    else if constexpr (std::is_same_v<R, float>) return Type::f32;
    else return Type::f64;
}

template <unsigned forms, class F, Type Result, Type... S>
constexpr Variant variant(std::array<Type, 3> types, unsigned selector = 0) {
    Variant v;
    v.types = types;
    v.result = Result;
    v.sources = {S...};
    v.source_count = sizeof...(S);
    v.selector = static_cast<std::uint16_t>(selector);
    v.run = &run_lanes<F, false, native<S>...>;
    if constexpr ((forms & with_ftz) != 0) v.run_ftz = &run_lanes<F, true, native<S>...>;
    if constexpr ((forms & with_rounding) != 0) {
        v.run_directed = &run_lanes_directed<F, false, native<S>...>;
        if constexpr ((forms & with_ftz) != 0) v.run_directed_ftz = &run_lanes_directed<F, true, native<S>...>;
    }
    return v;
}

template <unsigned forms, class F, Type First, Type Second, Type... S>
constexpr Variant variant_from(std::array<Type, 3> types, unsigned selector, From<S...>) {
    using R = decltype(F{}(std::declval<native<S == same ? First : S == second ? Second : S>>()...));
    return variant<forms, F, result_type<R, First>(), (S == same ? First : S == second ? Second : S)...>(types, selector);
}

/// The sources of a function that takes `n` values of the first type.
template <class F, class T>
constexpr auto sources_of() {
    if constexpr (std::is_invocable_v<F, T>) return From<same>{};
    else if constexpr (std::is_invocable_v<F, T, T>) return From<same, same>{};
    else return From<same, same, same>{};
}

/// A functor whose template parameter is fixed: `[]<int op>(auto a, auto b)` for one member of a modifier class.
template <class F, int S>
struct Selected {
    template <class... A>
    [[gnu::always_inline]] constexpr auto operator()(A... a) const { return F{}.template operator()<S>(a...); }
};
/// A functor whose template parameter is the C++ type of the destination (cvt).
template <class F, Type D>
struct To {
    template <class... A>
    [[gnu::always_inline]] constexpr native<D> operator()(A... a) const { return F{}.template operator()<native<D>>(a...); }
};

template <unsigned forms, class F, class FromList, class TypeList> struct Variants;
template <unsigned forms, class F, Type... S, Type... T>
struct Variants<forms, F, From<S...>, Types<T...>> {
    static constexpr Variant list[] = {variant_from<forms, F, T, T>({T}, 0, From<S...>{})...};
};
template <unsigned forms, class F, Type... T>
struct Variants<forms, F, void, Types<T...>> {
    static constexpr Variant list[] = {variant_from<forms, F, T, T>({T}, 0, sources_of<F, native<T>>())...};
};
template <unsigned forms, class F, class FromList, class TypeList, class Members> struct SelectedVariants;
template <unsigned forms, class F, Type... S, Type... T, int... M>
struct SelectedVariants<forms, F, From<S...>, Types<T...>, std::integer_sequence<int, M...>> {
    static constexpr std::size_t members = sizeof...(M);
    template <Type U>
    static constexpr std::array<Variant, members> of() {
        return {variant_from<forms, Selected<F, M>, U, U>({U}, M, From<S...>{})...};
    }
    static constexpr auto list = [] {
        std::array<Variant, members * sizeof...(T)> all{};
        std::size_t n = 0;
        auto const append = [&](auto const& some) { for (Variant const& v : some) all[n++] = v; };
        (append(of<T>()), ...);
        return all;
    }();
};
template <unsigned forms, class F, class Destinations, class Sources> struct PairVariants;
template <unsigned forms, class F, Type... D, Type... A>
struct PairVariants<forms, F, Types<D...>, Types<A...>> {
    template <Type X>
    static constexpr std::array<Variant, sizeof...(A)> to() {
        return {variant<forms, To<F, X>, X, A>({X, A})...};
    }
    static constexpr auto list = [] {
        std::array<Variant, sizeof...(D) * sizeof...(A)> all{};
        std::size_t n = 0;
        auto const append = [&](auto const& some) { for (Variant const& v : some) all[n++] = v; };
        (append(to<D>()), ...);
        return all;
    }();
};

/// A pure instruction: `f` takes as many values of the type as it has parameters and returns the result.
template <unsigned forms = plain, class F, Type... T>
constexpr Row row(std::string_view syntax, Types<T...>, Since since, Unit unit, F) {
    return {syntax, since, unit, Effect::lanes, Variants<forms, F, void, Types<T...>>::list, {}, {}};
}
/// The same with the source types spelled out.
template <unsigned forms = plain, class F, Type... T, Type... S>
constexpr Row row(std::string_view syntax, Types<T...>, From<S...>, Since since, Unit unit, F) {
    return {syntax, since, unit, Effect::lanes, Variants<forms, F, From<S...>, Types<T...>>::list, {}, {}};
}
/// One function per member of a modifier class: `f` takes the member's position as its template parameter.
template <int members, unsigned forms = plain, class F, Type... T, Type... S>
constexpr Row row_selected(std::string_view syntax, std::string_view selector, Types<T...>, From<S...>, Since since,
                           Unit unit, F) {
    return {syntax, since, unit, Effect::lanes,
            SelectedVariants<forms, F, From<S...>, Types<T...>, std::make_integer_sequence<int, members>>::list,
            selector, {}};
}
/// Every destination type from every source type: `f` takes the destination's C++ type as its template parameter.
template <unsigned forms = plain, class F, Type... D, Type... A>
constexpr Row row_to(std::string_view syntax, Types<D...>, Types<A...>, Since since, Unit unit, F) {
    return {syntax, since, unit, Effect::lanes, PairVariants<forms, F, Types<D...>, Types<A...>>::list, {}, {}};
}

/// An instruction that does more than compute, or that is not executed yet.
template <class TypeList> struct EffectVariants;
template <Type... T>
struct EffectVariants<Types<T...>> {
    static constexpr Variant list[] = {Variant{{T}, T, {}, 0, 0, nullptr, nullptr, nullptr, nullptr}...};
};
template <>
struct EffectVariants<Types<>> {
    static constexpr Variant list[] = {Variant{}};
};
template <Type... T>
constexpr Row effect_row(std::string_view syntax, Types<T...>, Since since, Unit unit, Effect effect,
                         std::string_view operand_types = {}) {
    return {syntax, since, unit, effect, EffectVariants<Types<T...>>::list, {}, operand_types};
}

}  // namespace warpsim::isa::WARPSIM_HOST
