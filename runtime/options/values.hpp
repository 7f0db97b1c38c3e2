// What the options of the table were set to.
#pragma once

#include "runtime/options/table.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::options {

/// Why `value` cannot be the option's: "'timig' is none of functional|timing; did you mean 'timing'?". Empty: it
/// can.
std::string complaint(Option const& option, std::string_view value);

/// Warns of every variable WARPSIM_... of the environment that is no option, with the nearest that is one.
void warn_of_unknown_variables(void (*warn)(std::string_view message));

/// A name in a template argument.
template <std::size_t size> struct Name {
    char text[size];
    consteval Name(char const (&literal)[size]) { std::copy_n(literal, size, text); }
    constexpr std::string_view view() const { return {text, size - 1}; }
};

/// What was given for an option.
struct Given {
    std::vector<std::string> texts;
    bool from_environment = false;
};

class Values {
public:
    /// What the command line says; each value of a list by itself. Throws Error(usage) that names the option and
    /// what it may be.
    void set(Option const& option, std::string_view value);
    /// Of options that have no value yet, what the environment says. Throws Error(usage) that names the variable
    /// and what it may hold.
    void read_environment();
    /// Puts all values into the environment, where read_environment() of another process finds them.
    void write_environment() const;

    /// Throws Error(usage) for a value whose option means nothing in this mode.
    void require(Mode chosen) const;

    /// value<"threads">() is the option's value, or what holds when none was given: a number for numbers, sizes
    /// and counts, a bool for flags and toggles, a list of texts for lists, else a text.
    template <Name name> auto value() const {
        constexpr std::size_t i = index_of(name.view());
        static_assert(i < table.size(), "there is no option of this name in runtime/options/table.hpp");
        constexpr Type type = table[i].type;
        if constexpr (type == Type::number || type == Type::bytes || type == Type::count) return number(i);
        else if constexpr (type == Type::flag || type == Type::toggle) return flag(i);
        else if constexpr (type == Type::list) return list(i);
        else return text(i);
    }
    template <Name name> bool is_given() const {
        constexpr std::size_t i = index_of(name.view());
        static_assert(i < table.size(), "there is no option of this name in runtime/options/table.hpp");
        return given_[i].has_value();
    }

private:
    std::string text(std::size_t option) const;
    std::uint64_t number(std::size_t option) const;
    bool flag(std::size_t option) const;
    std::vector<std::string> list(std::size_t option) const;

    std::array<std::optional<Given>, table.size()> given_;
};

}  // namespace warpsim::options
