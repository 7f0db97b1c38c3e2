// Turns a pure function of one lane into functions over a column of 32, once for each legal type and once for each
// host instruction set: the chapters of the ISA are compiled several times, each time with another WARPSIM_HOST.
//
// Everything here lives in the namespace of its host ISA and is inlined or static: a weak symbol compiled with AVX
// must never be the one the linker picks for a host that has none. For the same reason lane code calls no library
// template.
#pragma once

#include "frontend/isa/host_lanes.hpp"
#include "frontend/isa/row.hpp"
#include "frontend/isa/sound_rows.hpp"

#include <array>
#include <type_traits>
#include <utility>

namespace warpsim::isa::WARPSIM_HOST {

// ---- the C++ type of a PTX type ------------------------------------------------------------------------------

// clang-format off
struct Half { std::uint16_t bits; };
struct Bfloat { std::uint16_t bits; };
struct Half2 { std::uint32_t bits; };
struct Bfloat2 { std::uint32_t bits; };
struct Unsigned16x2 { std::uint32_t bits; };
struct Signed16x2 { std::uint32_t bits; };
struct Unsigned8x4 { std::uint32_t bits; };
struct Signed8x4 { std::uint32_t bits; };
/// Untyped bits compute as unsigned integers.
template <Type T> struct Native;
template <> struct Native<Type::b8> { using type = std::uint8_t; };
template <> struct Native<Type::b16> { using type = std::uint16_t; };
template <> struct Native<Type::b32> { using type = std::uint32_t; };
template <> struct Native<Type::b64> { using type = std::uint64_t; };
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
template <> struct Native<Type::f16x2> { using type = Half2; };
template <> struct Native<Type::bf16x2> { using type = Bfloat2; };
template <> struct Native<Type::u16x2> { using type = Unsigned16x2; };
template <> struct Native<Type::s16x2> { using type = Signed16x2; };
template <> struct Native<Type::u8x4> { using type = Unsigned8x4; };
template <> struct Native<Type::s8x4> { using type = Signed8x4; };
template <> struct Native<Type::f32> { using type = float; };
template <> struct Native<Type::f64> { using type = double; };
template <> struct Native<Type::pred> { using type = bool; };
template <Type T> using native = typename Native<T>::type;
// clang-format on

/// The element of a column that holds a T: 8-bit values take 16 bits, and structures are stored as their bits,
/// because copying a structure keeps compilers from vectorising.
template <class T> struct Stored { using type = T; };
template <> struct Stored<std::uint8_t> { using type = std::uint16_t; };
template <> struct Stored<std::int8_t> { using type = std::int16_t; };
template <class T>
requires std::is_class_v<T>
struct Stored<T> {
    using type = decltype(T::bits);
};
template <class T> using stored = typename Stored<T>::type;

template <class T> [[gnu::always_inline]] inline T loaded(stored<T> from) {
    if constexpr (std::is_class_v<T>) return T{from};
    else return static_cast<T>(from);
}
template <class T> [[gnu::always_inline]] inline stored<T> to_store(T value) {
    if constexpr (std::is_class_v<T>) return value.bits;
    else return static_cast<stored<T>>(value);
}

/// Reinterprets bits; std::bit_cast is a library template.
template <class To, class From> [[gnu::always_inline]] inline To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

// ---- flushing of subnormals ----------------------------------------------------------------------------------

template <class T> [[gnu::always_inline]] inline T flush(T value) { return value; }
template <> [[gnu::always_inline]] inline float flush(float value) {
    auto const bits = bits_as<std::uint32_t>(value);
    return bits_as<float>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
template <> [[gnu::always_inline]] inline Half flush(Half value) {
    unsigned const bits = value.bits;
    return {static_cast<std::uint16_t>((bits & 0x7c00u) == 0 ? bits & 0x8000u : bits)};
}
template <> [[gnu::always_inline]] inline Half2 flush(Half2 value) {
    std::uint32_t bits = value.bits;
    bits &= (bits & 0x7c00u) == 0 ? 0xffff8000u : 0xffffffffu;
    bits &= (bits & 0x7c000000u) == 0 ? 0x8000ffffu : 0xffffffffu;
    return {bits};
}
/// Whether a result may have been less than normal before it was rounded: the least normal number, of either sign.
template <class T> [[gnu::always_inline]] inline bool may_be_tiny(T) { return false; }
template <> [[gnu::always_inline]] inline bool may_be_tiny(float value) {
    return (bits_as<std::uint32_t>(value) & 0x7fffffffu) == 0x00800000u;
}
template <> [[gnu::always_inline]] inline bool may_be_tiny(Half value) {
    return (value.bits & 0x7fffu) == 0x0400u;
}
template <> [[gnu::always_inline]] inline bool may_be_tiny(Half2 value) {
    return (value.bits & 0x7fffu) == 0x0400u || (value.bits & 0x7fff0000u) == 0x04000000u;
}
template <bool Flush, class T> [[gnu::always_inline]] inline T flushed(T value) {
    if constexpr (Flush) return flush(value);
    else return value;
}

// ---- one function over 32 lanes ------------------------------------------------------------------------------

/// Reads lane `i` of a source: a predicate source is a bit of its mask.
template <class T> struct SourceColumn {
    stored<T> const* lanes;
    [[gnu::always_inline]] SourceColumn(Bases bases, Slot slot) : lanes(column<stored<T>>(bases, slot)) {}
    [[gnu::always_inline]] T operator[](int i) const { return loaded<T>(lanes[i]); }
};
template <> struct SourceColumn<bool> {
    LaneMask mask;
    [[gnu::always_inline]] SourceColumn(Bases bases, Slot slot) : mask(*column<LaneMask>(bases, slot)) {}
    [[gnu::always_inline]] bool operator[](int i) const { return (mask >> i & 1) != 0; }
};

template <class First, class...> struct FirstOf { using type = First; };

template <class F, bool Flush, class... S>
[[gnu::always_inline]] inline void each_lane(Bases bases, Slot to, LaneMask mask, SourceColumn<S>... source) {
    using R = decltype(F{}(std::declval<S>()...));
    if constexpr (std::is_same_v<R, bool>) {
        // The results of a comparison are as wide as its operands, which is how the host's compare leaves them.
        using Wide = signed_of_size<sizeof(stored<typename FirstOf<S...>::type>)>;
        alignas(64) Wide result[warp_size];
        for (int i = 0; i < warp_size; ++i) {
            result[i] = static_cast<Wide>(F{}(flushed<Flush>(source[i])...) ? -1 : 0);
        }
        LaneMask* const d = column<LaneMask>(bases, to);
        *d = (*d & ~mask) | (sign_mask(result) & mask);
    } else {
        alignas(64) stored<R> result[warp_size];
        for (int i = 0; i < warp_size; ++i) {
            result[i] = to_store<R>(flushed<Flush>(F{}(flushed<Flush>(source[i])...)));
        }
        if constexpr (Flush && requires { F::unless_tiny(R{}, flush(source[0])...); }) {
            // What rounding has made normal is flushed, too. That is rare.
            bool is_possible = false;
            for (int i = 0; i < warp_size; ++i) is_possible |= may_be_tiny(loaded<R>(result[i]));
            if (is_possible) [[unlikely]] {
                for (int i = 0; i < warp_size; ++i)
                    result[i] = to_store<R>(F::unless_tiny(loaded<R>(result[i]), flush(source[i])...));
            }
        }
        store_masked(column<stored<R>>(bases, to), result, mask);
    }
}

template <class F, bool Flush, class... S, std::size_t... I>
[[gnu::always_inline]] inline void each_lane_of(Bases bases, Operands const& operands, LaneMask mask,
                                                std::index_sequence<I...>) {
    each_lane<F, Flush, S...>(bases, operands.slot[0], mask, SourceColumn<S>(bases, operands.slot[1 + I])...);
}

template <class F, bool Flush, class... S>
[[gnu::flatten]] static void run_lanes(Bases bases, Operands const& operands, LaneMask mask) {
    each_lane_of<F, Flush, S...>(bases, operands, mask, std::index_sequence_for<S...>{});
}

/// The same under a directed rounding mode of the host. The loop is a call of its own so that no arithmetic moves
/// across the change of mode.
template <class F, bool Flush, class... S>
[[gnu::noinline, gnu::flatten]] static void run_lanes_in_mode(Bases bases, Operands const& operands,
                                                              LaneMask mask) noexcept {
    each_lane_of<F, Flush, S...>(bases, operands, mask, std::index_sequence_for<S...>{});
}
template <class F, bool Flush, class... S>
static void run_lanes_directed(Bases bases, Operands const& operands, LaneMask mask) {
    HostRounding const mode(static_cast<Rounding>(operands.immediate & 0xff));
    asm volatile("" : : : "memory");
    run_lanes_in_mode<F, Flush, S...>(bases, operands, mask);
    asm volatile("" : : : "memory");
}

// ---- variants ------------------------------------------------------------------------------------------------

template <Type... T> struct Types {};
using Integers = Types<Type::u16, Type::u32, Type::u64, Type::s16, Type::s32, Type::s64>;
using Signed = Types<Type::s16, Type::s32, Type::s64>;
using Bits = Types<Type::b16, Type::b32, Type::b64>;

/// For rows with sources of several types: stands for the first written type.
inline constexpr Type same = Type::count;
template <Type... S> struct From {};

/// The forms that a row is compiled for beside the plain one.
enum Forms : unsigned { plain = 0, with_ftz = 1, with_rounding = 2 };

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

template <class R, Type First> constexpr Type result_type() {
    if constexpr (std::is_same_v<R, bool>) return Type::pred;
    else if constexpr (std::is_same_v<R, native<First>>) return First;
    else if constexpr (std::is_same_v<R, std::uint32_t>) return Type::u32;
    else if constexpr (std::is_same_v<R, std::int32_t>) return Type::s32;
    else if constexpr (std::is_same_v<R, std::uint64_t>) return Type::u64;
    else if constexpr (std::is_same_v<R, std::int64_t>) return Type::s64;
    else static_assert(sizeof(R) == 0, "the result has no PTX type");
}

template <unsigned forms, class F, Type First, Type... S>
constexpr Variant variant_from(From<S...>, unsigned selector = 0) {
    using R = decltype(F{}(std::declval<native<S == same ? First : S>>()...));
    return variant<forms, F, result_type<R, First>(), (S == same ? First : S)...>({First}, selector);
}

/// The sources of a function that takes as many values of one type as it has parameters.
template <class F, class T> constexpr auto sources_of() {
    if constexpr (std::is_invocable_v<F, T>) return From<same>{};
    else if constexpr (std::is_invocable_v<F, T, T>) return From<same, same>{};
    else return From<same, same, same>{};
}

/// A functor with its template parameter fixed: the position of a modifier, or the C++ type of the destination.
template <class F, int S> struct Selected {
    template <class... A> [[gnu::always_inline]] constexpr auto operator()(A... a) const {
        return F{}.template operator()<S>(a...);
    }
};
template <class F, Type D> struct To {
    template <class... A> [[gnu::always_inline]] constexpr native<D> operator()(A... a) const {
        return F{}.template operator()<native<D>>(a...);
    }
};

template <std::size_t... n> constexpr auto joined(std::array<Variant, n> const&... lists) {
    std::array<Variant, (n + ...)> all{};
    std::size_t next = 0;
    auto const append = [&](auto const& list) {
        for (Variant const& v : list) all[next++] = v;
    };
    (append(lists), ...);
    return all;
}

template <unsigned forms, class F, class FromList, class TypeList> struct Variants;
template <unsigned forms, class F, Type... S, Type... T> struct Variants<forms, F, From<S...>, Types<T...>> {
    static constexpr std::array<Variant, sizeof...(T)> list{variant_from<forms, F, T>(From<S...>{})...};
};
template <unsigned forms, class F, Type... T> struct Variants<forms, F, void, Types<T...>> {
    static constexpr std::array<Variant, sizeof...(T)> list{
        variant_from<forms, F, T>(sources_of<F, native<T>>())...};
};

template <unsigned forms, class F, class FromList, class TypeList, class Members> struct SelectedVariants;
template <unsigned forms, class F, Type... S, Type... T, int... M>
struct SelectedVariants<forms, F, From<S...>, Types<T...>, std::integer_sequence<int, M...>> {
    template <Type U>
    static constexpr std::array<Variant, sizeof...(M)> of{
        variant_from<forms, Selected<F, M>, U>(From<S...>{}, M)...};
    static constexpr auto list = joined(of<T>...);
};

template <unsigned forms, class F, class Destinations, class Sources> struct PairVariants;
template <unsigned forms, class F, Type... D, Type... A> struct PairVariants<forms, F, Types<D...>, Types<A...>> {
    template <Type X>
    static constexpr std::array<Variant, sizeof...(A)> to{variant<forms, To<F, X>, X, A>({X, A})...};
    static constexpr auto list = joined(to<D>...);
};

// ---- rows ----------------------------------------------------------------------------------------------------

/// A pure instruction: `f` takes as many values of the type as it has parameters and returns the result.
template <unsigned forms = plain, class F, Type... T>
constexpr Row row(std::string_view syntax, Types<T...>, Since since, Unit unit, F) {
    return {syntax, since, unit, &effects::lanes, Variants<forms, F, void, Types<T...>>::list, {}, {}};
}
/// The same with the source types spelled out.
template <unsigned forms = plain, class F, Type... T, Type... S>
constexpr Row row(std::string_view syntax, Types<T...>, From<S...>, Since since, Unit unit, F) {
    return {syntax, since, unit, &effects::lanes, Variants<forms, F, From<S...>, Types<T...>>::list, {}, {}};
}
/// One function per member of a modifier class: `f` takes the member's position as its template parameter.
template <int members, unsigned forms = plain, class F, Type... T, Type... S>
constexpr Row row_selected(std::string_view syntax, std::string_view selector, Types<T...>, From<S...>,
                           Since since, Unit unit, F) {
    return {syntax,
            since,
            unit,
            &effects::lanes,
            SelectedVariants<forms, F, From<S...>, Types<T...>, std::make_integer_sequence<int, members>>::list,
            selector,
            {}};
}
/// Every destination type from every source type: `f` takes the destination's C++ type as its template parameter.
template <unsigned forms = plain, class F, Type... D, Type... A>
constexpr Row row_to(std::string_view syntax, Types<D...>, Types<A...>, Since since, Unit unit, F) {
    return {syntax, since, unit, &effects::lanes, PairVariants<forms, F, Types<D...>, Types<A...>>::list, {}, {}};
}
/// A row whose variants are made by hand.
constexpr Row row_of(std::string_view syntax, std::span<Variant const> variants, Since since, Unit unit,
                     std::string_view selector = {}) {
    return {syntax, since, unit, &effects::lanes, variants, selector, {}};
}

/// An instruction that does more than compute, or that is not executed yet.
template <class... TypeLists> struct EffectVariants;
template <Type... T> struct EffectVariants<Types<T...>> {
    static constexpr std::array<Variant, sizeof...(T)> list{
        Variant{{T}, T, {}, 0, 0, nullptr, nullptr, nullptr, nullptr}...};
};
template <> struct EffectVariants<Types<>> { static constexpr std::array<Variant, 1> list{}; };
template <Type... T>
constexpr Row effect_row(std::string_view syntax, Types<T...>, Since since, Unit unit, EffectFacts const* facts,
                         OperandList const& operands = {}) {
    return {syntax, since, unit, facts, EffectVariants<Types<T...>>::list, {}, operands};
}
/// The same for a line with two written types: every first with every second.
template <Type... T, Type... U> struct EffectVariants<Types<T...>, Types<U...>> {
    template <Type X>
    static constexpr std::array<Variant, sizeof...(U)> with{
        Variant{{X, U}, X, {}, 0, 0, nullptr, nullptr, nullptr, nullptr}...};
    static constexpr auto list = joined(with<T>...);
};
template <Type... T, Type... U>
constexpr Row effect_row(std::string_view syntax, Types<T...>, Types<U...>, Since since, Unit unit,
                         EffectFacts const* facts, OperandList const& operands = {}) {
    return {syntax, since, unit, facts, EffectVariants<Types<T...>, Types<U...>>::list, {}, operands};
}

/// The variants of rows that a family makes.
template <class... TypeLists>
inline constexpr std::span<Variant const> written_types = EffectVariants<TypeLists...>::list;

}  // namespace warpsim::isa::WARPSIM_HOST
