#include "words.hpp"
#include "runtime/options/table.hpp"
#include "sim/config/config.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace warpsim::command {

namespace {

/// What stands for a value that is a built-in configuration or a file of one.
constexpr std::string_view names_configuration = "NAME|FILE";

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// "auto|on|off" are words to choose from; "NAME|FILE" and "FILE.ptx" are not.
std::vector<std::string> choices_of(std::string const& value) {
    std::vector<std::string> choices;
    if (value == names_configuration) {
        for (sim::ConfigSummary const& config : sim::builtin_configs()) choices.push_back(config.name);
        return choices;
    }
    bool const are_words =
        value.find('|') != std::string::npos &&
        std::none_of(value.begin(), value.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '['; });
    for (std::size_t at = 0; are_words && at <= value.size();) {
        std::size_t const end = std::min(value.find('|', at), value.size());
        choices.push_back(value.substr(at, end - at));
        at = end + 1;
    }
    return choices;
}

bool names_file(std::string const& value) {
    for (char const* const part : {"FILE", "PLAN", "DIR", "JSON", "HTML", "LIB", "PROGRAM"})
        if (value.find(part) != std::string::npos) return true;
    return false;
}

OptionWords words_of_option(CLI::Option const& option) {
    OptionWords words;
    for (std::string const& letter : option.get_snames()) words.names.push_back("-" + letter);
    for (std::string const& name : option.get_lnames()) words.names.push_back("--" + name);
    words.help = one_line(option.get_description());
    words.is_repeatable = option.get_expected_max() > 1;
    std::string const shown = option.get_type_name();
    bool const is_flag = option.get_items_expected_max() == 0;
    words.is_joined = shown.starts_with("[=");
    if (!is_flag || words.is_joined) words.value = words.is_joined ? shown.substr(2, shown.size() - 3) : shown;
    words.choices = choices_of(words.value);
    words.takes_file = names_file(words.value);
    for (options::Option const& row : options::table) {
        if (row.command == options::Command::none || !option.check_lname(std::string(row.name))) continue;
        words.variable = row.variable;
        words.is_repeatable = row.type == options::Type::list || row.type == options::Type::count;
        words.takes_file = words.takes_file || row.type == options::Type::file;
    }
    return words;
}

}  // namespace

std::vector<std::string> calls_of(CLI::App const& app) {
    std::vector<std::string> calls;
    std::istringstream footer(app.get_footer());
    for (std::string line; std::getline(footer, line);) {
        bool const is_call = line.starts_with("warpsim ") && line.find("[OPTIONS]") != std::string::npos;
        if (is_call) calls.push_back(line);
        else if (!line.empty()) break;
    }
    return calls;
}

CommandWords words_of(CLI::App const& app) {
    CommandWords words{app.get_name(), one_line(app.get_description()), calls_of(app), {}, {}, {}};
    for (CLI::Option const* const option : app.get_options()) {
        OptionWords one = words_of_option(*option);
        if (one.names.empty()) words.arguments.push_back(std::move(one));
        else words.options.push_back(std::move(one));
    }
    for (CLI::App const* const sub : app.get_subcommands([](CLI::App const*) { return true; }))
        words.commands.push_back(words_of(*sub));
    return words;
}

}  // namespace warpsim::command
