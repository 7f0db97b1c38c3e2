// How counters are declared: a struct of them has visit(), which shows each of its members once, with the key under
// which it is reported, its unit and its meaning. Sums, differences, JSON, tables and the page of keys follow from
// that (runtime/statistics).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace warpsim::sim {

/// What becomes of it when two are added up.
enum class Combine : std::uint8_t { sum, max, same /* it describes, and is equal in both */ };

/// A member that is reported as it is. A key with dots lies in objects; an empty one is not reported.
template <class S, class T> struct Counter {
    std::string_view key;
    T S::*member;
    std::string_view unit, meaning;
    Combine combine = Combine::sum;
};

/// A member that counts several things of one kind, which `name` names: key.NAME. Reported as shares of
/// divisor(whole), where `whole` is what is reported as one, or as they are where there is no divisor.
template <class S, class T, class Name, class Divisor> struct Counters {
    std::string_view key;
    T S::*member;
    Name name;
    Divisor divisor;
    std::string_view unit, meaning;
};

/// A struct of counters inside another: its keys begin with `key` and a dot.
template <class S, class T> struct Nested {
    std::string_view key;
    T S::*member;
};

/// Computed when reported: value(whole) is a number, or an std::optional<double> without a value for null.
template <class Value> struct Derived {
    std::string_view key;
    Value value;
    std::string_view unit, meaning;
};

template <class S, class T>
constexpr Counter<S, T> counter(std::string_view key, T S::*member, std::string_view unit,
                                std::string_view meaning) {
    return {key, member, unit, meaning};
}
/// Of several components, the largest counts.
template <class S, class T>
constexpr Counter<S, T> maximum(std::string_view key, T S::*member, std::string_view unit,
                                std::string_view meaning) {
    return {key, member, unit, meaning, Combine::max};
}
/// Something that a launch has rather than counts.
template <class S, class T>
constexpr Counter<S, T> property(std::string_view key, T S::*member, std::string_view unit,
                                 std::string_view meaning) {
    return {key, member, unit, meaning, Combine::same};
}
/// Counted for others to be derived from.
template <class S, class T> constexpr Counter<S, T> hidden(T S::*member) { return {{}, member, {}, {}}; }

struct NoDivisor {};
template <class S, class T, class Name>
constexpr Counters<S, T, Name, NoDivisor> counters(std::string_view key, T S::*member, Name name,
                                                   std::string_view unit, std::string_view meaning) {
    return {key, member, name, {}, unit, meaning};
}
template <class S, class T, class Name, class Divisor>
constexpr Counters<S, T, Name, Divisor> shares(std::string_view key, T S::*member, Name name, Divisor divisor,
                                               std::string_view unit, std::string_view meaning) {
    return {key, member, name, divisor, unit, meaning};
}
template <class S, class T> constexpr Nested<S, T> nested(std::string_view key, T S::*member) {
    return {key, member};
}
template <class Value>
constexpr Derived<Value> derived(std::string_view key, Value value, std::string_view unit,
                                 std::string_view meaning) {
    return {key, value, unit, meaning};
}

/// The quotient; nothing when there is nothing to divide by.
constexpr std::optional<double> quotient(double dividend, std::uint64_t divisor) {
    if (divisor == 0) return {};
    return dividend / static_cast<double>(divisor);
}
constexpr std::optional<double> share(std::uint64_t part, std::uint64_t whole) {
    return quotient(static_cast<double>(part), whole);
}

namespace detail {

template <class T> struct IsArray : std::false_type {};
template <class T, std::size_t n> struct IsArray<std::array<T, n>> : std::true_type {};

/// Calls each(member, combine) for every member that visit() shows.
template <class S, class Each> constexpr void for_each_member(Each&& each) {
    S::visit([&](auto const& field) {
        if constexpr (requires { field.combine; }) each(field.member, field.combine);
        else if constexpr (requires { field.member; }) each(field.member, Combine::sum);
    });
}

template <class T, class Operation> constexpr void combine(T& a, T const& b, Combine how, Operation operation) {
    if constexpr (IsArray<T>::value) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = operation(a[i], b[i]);
    } else if constexpr (std::is_arithmetic_v<T>) {
        if (how == Combine::sum) a = operation(a, b);
        else if (how == Combine::max) a = std::max(a, b);
    } else {
        for_each_member<T>([&](auto member, Combine inner) { combine(a.*member, b.*member, inner, operation); });
    }
}

}  // namespace detail

/// Adds `b` to `a`, member by member.
template <class S> constexpr void add(S& a, S const& b) {
    detail::combine(a, b, Combine::sum, [](auto x, auto y) { return x + y; });
}
/// Takes `b`, what had been counted before, from `a`.
template <class S> constexpr void subtract(S& a, S const& b) {
    detail::combine(a, b, Combine::sum, [](auto x, auto y) { return x - y; });
}
/// As much as so many of `counts`; what does not add up stays.
template <class S> constexpr S times(S counts, double factor) {
    detail::combine(counts, counts, Combine::sum, [factor](auto x, auto) {
        return static_cast<decltype(x)>(static_cast<double>(x) * factor + 0.5);
    });
    return counts;
}

/// Whether visit() of a struct that holds nothing but counts shows every member.
template <class S> constexpr bool shows_every_member() {
    std::size_t bytes = 0;
    detail::for_each_member<S>([&]<class T, class O>(T O::*, Combine) { bytes += sizeof(T); });
    return bytes == sizeof(S);
}

}  // namespace warpsim::sim
