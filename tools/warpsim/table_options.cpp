#include "table_options.hpp"

#include "sim/error.hpp"
#include "words.hpp"

#include <CLI/CLI.hpp>

namespace warpsim::command {

namespace {

using options::Option;
using options::Section;
using options::Type;

std::string head(Section section) {
    switch (section) {
        case Section::run_ptx: return "Of FILE.ptx";
        case Section::run_plan: return "Of PLAN.json";
        case Section::simulation:
            return "Simulation (each also as an environment variable, WARPSIM_CONFIG and so on)";
        case Section::messages: return "Messages";
        case Section::general:
        case Section::process:
        case Section::internal:
        case Section::tests: break;
    }
    return "Options";
}

std::string names(Option const& option) {
    std::string const letter(option.letter);
    return (letter.empty() ? "" : "-" + letter + ",") + "--" + std::string(option.name);
}

/// The help, with the value that applies when the option is not given, unless that is empty.
std::string help(Option const& option) {
    bool const is_told = !option.otherwise.empty() && option.otherwise != "0";
    return std::string(option.help) + (is_told ? " (default: " + std::string(option.otherwise) + ")" : "");
}

CLI::Option* add_option(CLI::App& app, Option const& option, options::Values& values) {
    auto const set = [&option, &values](std::string const& value) { values.set(option, value); };
    if (option.type == Type::flag || option.type == Type::toggle || option.type == Type::count) {
        auto const set_count = [set, &option](std::int64_t count) {
            auto const most = static_cast<std::int64_t>(option.type == Type::count ? option.high : 1);
            set(std::to_string(std::clamp<std::int64_t>(count, 0, most)));
        };
        return app.add_flag_function(names(option), set_count, help(option));
    }
    if (!option.alone.empty())
        return app.add_flag(names(option) + "{" + std::string(option.alone) + "}")
            ->description(help(option))
            ->type_name("[=" + std::string(option.value) + "]")
            ->each(set);
    auto const is_allowed = [&option](std::string const& value) { return options::complaint(option, value); };
    if (option.type == Type::list) {
        auto const set_all = [set](std::vector<std::string> const& all) {
            for (std::string const& one : all) set(one);
        };
        return app.add_option_function<std::vector<std::string>>(names(option), set_all, help(option))
            ->allow_extra_args(false)
            ->type_name(std::string(option.value));
    }
    return app.add_option_function<std::string>(names(option), set, help(option))
        ->check(is_allowed, "")
        ->type_name(std::string(option.value));
}

class Formatter : public CLI::Formatter {
public:
    std::string make_option_opts(CLI::Option const* shown) const override {
        std::string text = CLI::Formatter::make_option_opts(shown);
        for (Option const& option : options::table) {
            // Other subcommands may have options of the same name that no variable sets.
            bool const is_it =
                shown->check_lname(std::string(option.name)) && shown->get_group() == head(option.section);
            if (is_it && !option.variable.empty()) text += " (Env:" + std::string(option.variable) + ")";
        }
        return text;
    }

    /// By what stands for its value: FILE.ptx, not file.
    std::string make_option_usage(CLI::Option const* shown) const override {
        std::string const text = shown->get_type_name() + (shown->get_expected_max() > 1 ? "..." : "");
        return shown->get_required() ? text : "[" + text + "]";
    }

    std::string make_usage(CLI::App const* app, std::string name) const override {
        std::vector<std::string> const calls = calls_of(*app);
        if (calls.empty()) return CLI::Formatter::make_usage(app, std::move(name));
        std::string text;
        for (std::string const& call : calls) text += (text.empty() ? "Usage: " : "       ") + call + "\n";
        return text;
    }

    std::string make_footer(CLI::App const* app) const override {
        std::string text = CLI::Formatter::make_footer(app);
        for (std::string const& call : calls_of(*app)) text.erase(text.find(call), call.size());
        text.erase(0, text.find_first_not_of('\n'));
        return text.empty() ? text : "\n" + text;
    }
};

}  // namespace

void add_options(CLI::App& app, options::Command command, options::Values& values) {
    for (Option const& option : options::table)
        if (option.command == command || option.command == options::Command::both)
            add_option(app, option, values)->group(head(option.section));
}

void refuse(CLI::App const& app, Section section, std::string_view belongs_to) {
    for (Option const& option : options::table) {
        if (option.section != section || app.count("--" + std::string(option.name)) == 0) continue;
        throw Error(ErrorKind::usage,
                    "--" + std::string(option.name) + " belongs to `warpsim " + std::string(belongs_to) + "`");
    }
}

std::shared_ptr<CLI::FormatterBase> make_formatter() {
    auto formatter = std::make_shared<Formatter>();
    formatter->column_width(34);
    return formatter;
}

}  // namespace warpsim::command
