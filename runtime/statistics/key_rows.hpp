// Goes through the keys under which a struct of counters is reported, for pages and schemas of them.
#pragma once

#include "sim/counters.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpsim::statistics {

struct KeyRow {
    std::string key;  // "l1.hit_rate"; * stands for names that a launch determines: "units.*.micro_ops"
    std::string_view unit;
    std::string_view kind;  // sum, maximum, property or derived
    std::string_view meaning;
};

template <class S, class Each> void each_key(Each&& each, std::string const& prefix = "");

namespace detail {

constexpr std::string_view kind_name(sim::Combine combine) {
    switch (combine) {
        case sim::Combine::sum: return "sum";
        case sim::Combine::max: return "maximum";
        case sim::Combine::same: return "property";
    }
    return "";
}

template <class Each, class S, class T>
void tell_key(Each&& each, sim::Counter<S, T> const& field, std::string const& prefix) {
    if (!field.key.empty())
        each(KeyRow{prefix + std::string(field.key), field.unit, kind_name(field.combine), field.meaning});
}
template <class Each, class Value>
void tell_key(Each&& each, sim::Derived<Value> const& field, std::string const& prefix) {
    // One row stands for all states.
    if (field.key != "stalls.selected")
        each(KeyRow{prefix + std::string(field.key), field.unit, "derived", field.meaning});
}
template <class Each, class S, class T, class Name, class Divisor>
void tell_key(Each&& each, sim::Counters<S, T, Name, Divisor> const& field, std::string const& prefix) {
    bool const is_sum = std::is_same_v<Divisor, sim::NoDivisor>;
    each(KeyRow{prefix + std::string(field.key) + ".*", field.unit, is_sum ? "sum" : "derived", field.meaning});
}
template <class Each, class S, class T>
void tell_key(Each&& each, sim::Nested<S, T> const& field, std::string const& prefix) {
    each_key<T>(each, prefix + std::string(field.key) + ".");
}
template <class Each, class S, class T>
void tell_key(Each&& each, sim::Nested<S, std::vector<T>> const& field, std::string const& prefix) {
    each_key<T>(each, prefix + std::string(field.key) + ".*.");
}

}  // namespace detail

/// Calls each(KeyRow) for every key that visit() of S shows.
template <class S, class Each> void each_key(Each&& each, std::string const& prefix) {
    S::visit([&](auto const& field) { detail::tell_key(each, field, prefix); });
}

}  // namespace warpsim::statistics
