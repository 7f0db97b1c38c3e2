// Puts the fields that visit() of a struct of counters shows (sim/counters.hpp) into a JSON object.
#pragma once

#include "sim/counters.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::statistics {

class JsonFields {
public:
    explicit JsonFields(nlohmann::ordered_json& json) : json_(json) {}

    /// All fields of `counts`, their keys preceded by `prefix`; derived values are computed from `whole`.
    template <class S, class Whole> void put(S const& counts, Whole const& whole, std::string const& prefix = "") {
        S::visit([&](auto const& field) { put_field(field, counts, whole, prefix); });
    }

private:
    using Json = nlohmann::ordered_json;

    /// The value at a key; a dot descends into an object.
    Json& at(std::string_view key) {
        Json* place = &json_;
        for (std::size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.')) {
            place = &(*place)[std::string(key.substr(0, dot))];
            key.remove_prefix(dot + 1);
        }
        return (*place)[std::string(key)];
    }

    static Json value(std::optional<double> const& n) { return n ? Json(*n) : Json(nullptr); }
    template <class T> static Json value(T const& n) { return n; }

    /// A count that was not made is null, not zero.
    template <class S> static bool is_counted(S const& counts) {
        if constexpr (requires { counts.counted; }) return counts.counted;
        else return true;
    }

    template <class S, class T, class Object, class Whole>
    void put_field(sim::Counter<S, T> const& field, Object const& counts, Whole const&,
                   std::string const& prefix) {
        if (field.key.empty()) return;
        at(prefix + std::string(field.key)) = is_counted(counts) ? value(counts.*field.member) : Json(nullptr);
    }

    template <class Value, class Object, class Whole>
    void put_field(sim::Derived<Value> const& field, Object const& counts, Whole const& whole,
                   std::string const& prefix) {
        at(prefix + std::string(field.key)) = is_counted(counts) ? value(field.value(whole)) : Json(nullptr);
    }

    template <class S, class T, class Name, class Divisor, class Object, class Whole>
    void put_field(sim::Counters<S, T, Name, Divisor> const& field, Object const& counts,
                   [[maybe_unused]] Whole const& whole, std::string const& prefix) {
        Json& object = at(prefix + std::string(field.key));
        auto const& members = counts.*field.member;
        for (std::size_t i = 0; i < members.size(); ++i) {
            Json& place = object[std::string(field.name(i))];
            if constexpr (std::is_same_v<Divisor, sim::NoDivisor>) place = members[i];
            else place = value(sim::share(members[i], field.divisor(whole)));
        }
    }

    template <class S, class T, class Object, class Whole>
    void put_field(sim::Nested<S, T> const& field, Object const& counts, Whole const& whole,
                   std::string const& prefix) {
        put(counts.*field.member, whole, prefix + std::string(field.key) + ".");
    }

    /// Several of one kind, each under its own name: derived values are computed for each alone.
    template <class S, class T, class Object, class Whole>
    void put_field(sim::Nested<S, std::vector<T>> const& field, Object const& counts, Whole const&,
                   std::string const& prefix) {
        at(prefix + std::string(field.key)) = Json::object();
        for (T const& one : counts.*field.member)
            put(one, one, prefix + std::string(field.key) + "." + one.name + ".");
    }

    Json& json_;
};

}  // namespace warpsim::statistics
