#include "runtime/options/values.hpp"

#include "sim/error.hpp"
#include "sim/nearest.hpp"

#include <charconv>
#include <cstdlib>
#include <unistd.h>

namespace warpsim::options {

namespace {

std::vector<std::string> split(std::string_view list, char separator) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= list.size();) {
        std::size_t const end = std::min(list.find(separator, at), list.size());
        if (end > at) parts.emplace_back(list.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

std::optional<std::uint64_t> parse_number(std::string_view value) {
    bool const is_hexadecimal = value.starts_with("0x");
    if (is_hexadecimal) value.remove_prefix(2);
    std::uint64_t n = 0;
    auto const [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), n, is_hexadecimal ? 16 : 10);
    if (error != std::errc() || end != value.data() + value.size()) return {};
    return n;
}

std::optional<std::uint64_t> parse_bytes(std::string_view value) {
    unsigned shift = 0;
    switch (value.empty() ? '0' : value.back()) {
        case 'K': shift = 10; break;
        case 'M': shift = 20; break;
        case 'G': shift = 30; break;
        default: break;
    }
    if (shift != 0) value.remove_suffix(1);
    auto const n = parse_number(value);
    if (!n || *n > ~std::uint64_t{0} >> shift) return {};
    return *n << shift;
}

std::optional<bool> parse_flag(std::string_view value) {
    if (value == "1" || value == "true" || value == "on") return true;
    if (value == "0" || value == "false" || value == "off") return false;
    return {};
}

bool is_allowed(Option const& option, std::string_view value) {
    switch (option.type) {
        case Type::text:
        case Type::file:
        case Type::list: return true;
        case Type::word: {
            auto const words = split(option.value, '|');
            return std::find(words.begin(), words.end(), value) != words.end();
        }
        case Type::number:
        case Type::count: {
            auto const n = parse_number(value);
            return n && *n >= option.low && *n <= option.high;
        }
        case Type::bytes: return parse_bytes(value).has_value();
        case Type::flag:
        case Type::toggle: return parse_flag(value).has_value();
    }
    return false;
}

/// What the option may be, as the subject of "is wanted".
std::string allowed(Option const& option) {
    switch (option.type) {
        case Type::text: return "a text";
        case Type::file: return "a file";
        case Type::list: return "a list";
        case Type::word: {
            auto const words = split(option.value, '|');
            std::string text;
            for (std::size_t i = 0; i < words.size(); ++i)
                text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
            return text;
        }
        case Type::number:
        case Type::count:
            return "a number from " + std::to_string(option.low) + " to " + std::to_string(option.high);
        case Type::bytes: return "a number of bytes, as 1000000, 500M or 2G,";
        case Type::flag: return "1 or 0";
        case Type::toggle: return "on or off";
    }
    return "";
}

/// Calls each(name, value) for all variables whose name begins with WARPSIM_.
template <class Each> void for_each_variable(Each&& each) {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        std::string_view const text = *entry;
        std::size_t const equals = text.find('=');
        if (text.starts_with("WARPSIM_") && equals != std::string_view::npos)
            each(text.substr(0, equals), text.substr(equals + 1));
    }
}

}  // namespace

std::string complaint(Option const& option, std::string_view value) {
    if (is_allowed(option, value)) return "";
    std::string const quoted = "'" + std::string(value) + "'";
    if (option.type != Type::word) return quoted + ": " + allowed(option) + " is wanted";
    return quoted + " is none of " + std::string(option.value) +
           sim::did_you_mean(value, split(option.value, '|'));
}

void warn_of_unknown_variables(void (*warn)(std::string_view message)) {
    std::vector<std::string> known;
    for (Option const& option : table)
        if (!option.variable.empty()) known.emplace_back(option.variable);
    for_each_variable([&](std::string_view name, std::string_view) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            warn("there is no variable " + std::string(name) + sim::did_you_mean(name, known));
    });
}

void Values::set(Option const& option, std::string_view value) {
    if (std::string const wrong = complaint(option, value); !wrong.empty())
        throw Error(ErrorKind::usage, "--" + std::string(option.name) + ": " + wrong);
    std::optional<Given>& given = given_[index_of(option.name)];
    if (!given || option.type != Type::list) given.emplace();
    given->texts.emplace_back(value);
}

void Values::read_environment() {
    for (std::size_t i = 0; i < table.size(); ++i) {
        Option const& option = table[i];
        if (given_[i] || option.variable.empty()) continue;
        char const* const value = std::getenv(std::string(option.variable).c_str());
        if (value == nullptr || *value == 0) continue;
        if (!is_allowed(option, value))
            throw Error(ErrorKind::usage,
                        std::string(option.variable) + "=" + value + ": " + allowed(option) + " is wanted");
        given_[i] = Given{{value}, true};
    }
}

void Values::write_environment() const {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (!given_[i] || table[i].variable.empty()) continue;
        std::string joined;
        for (std::string const& one : given_[i]->texts) joined += (joined.empty() ? "" : ";") + one;
        setenv(std::string(table[i].variable).c_str(), joined.c_str(), 1);
    }
}

void Values::require(Mode chosen) const {
    for (std::size_t i = 0; i < table.size(); ++i) {
        Option const& option = table[i];
        if (!given_[i] || option.mode == Mode::any || option.mode == chosen || text(i) == option.otherwise)
            continue;
        bool const is_variable = given_[i]->from_environment;
        std::string const mode = option.mode == Mode::timing ? "timing" : "functional";
        throw Error(ErrorKind::usage, is_variable
                                          ? std::string(option.variable) + " belongs to WARPSIM_MODE=" + mode
                                          : "--" + std::string(option.name) + " belongs to --mode " + mode);
    }
}

std::string Values::text(std::size_t option) const {
    return given_[option] ? given_[option]->texts.back() : std::string(table[option].otherwise);
}

std::uint64_t Values::number(std::size_t option) const {
    std::string const value = text(option);
    return (table[option].type == Type::bytes ? parse_bytes(value) : parse_number(value)).value_or(0);
}

bool Values::flag(std::size_t option) const { return parse_flag(text(option)).value_or(false); }

std::vector<std::string> Values::list(std::size_t option) const {
    if (!given_[option]) return split(table[option].otherwise, ';');
    if (table[option].variable.empty()) return given_[option]->texts;
    std::vector<std::string> all;
    for (std::string const& text : given_[option]->texts)
        for (std::string& one : split(text, ';')) all.push_back(std::move(one));
    return all;
}

}  // namespace warpsim::options
