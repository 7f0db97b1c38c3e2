#include "runtime/options/reference.hpp"

#include "runtime/options/table.hpp"

#include <string_view>

namespace warpsim::options {

namespace {

struct Head {
    Section section;
    std::string_view text;
    Command command = Command::both;  // only options of this one; both: all
};

constexpr Head heads[] = {
    {Section::simulation, "## Of `warpsim run`, `warpsim exec` and `warpsim debug`: the simulation\n\n"},
    {Section::messages, "## Of `warpsim run`, `warpsim exec` and `warpsim debug`: messages\n\n"},
    {Section::run_ptx, "## Of `warpsim run FILE.ptx`\n\n"},
    {Section::run_plan, "## Of `warpsim run PLAN.json`\n\n"},
    {Section::general, "## Of `warpsim run`\n\n", Command::run},
    {Section::general, "## Of `warpsim exec`\n\n", Command::exec},
    {Section::process,
     "## Variables alone\n\nThey hold for every process that simulates, and no option sets them.\n\n"},
    {Section::internal, "## Between `warpsim exec` and the program\n\n"},
    {Section::tests, "## Of the tests\n\n"},
};

std::string code(std::string_view text) { return text.empty() ? "" : "`" + std::string(text) + "`"; }

/// As a cell of a table: a | ends one otherwise, and so does the end of a line.
std::string cell(std::string const& text) {
    std::string escaped;
    for (char const c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
    return escaped + " |";
}

std::string usage(Option const& option) {
    if (option.command == Command::none) return "";
    std::string text = option.letter.empty() ? "" : "-" + std::string(option.letter) + ", ";
    text += "--" + std::string(option.name);
    if (!option.alone.empty()) return code(text + "[=" + std::string(option.value) + "]");
    return code(text + (option.value.empty() ? "" : " " + std::string(option.value)));
}

std::string type(Option const& option) {
    std::string const unit = option.unit.empty() ? "" : ", in " + std::string(option.unit);
    switch (option.type) {
        case Type::text: return "text" + unit;
        case Type::file: return "path";
        case Type::word: return code(option.value);
        case Type::list: return option.variable.empty() ? "list" : "list; in a variable separated by `;`";
        case Type::number: {
            bool const is_limited = option.high != ~std::uint64_t{0};
            return "number from " + std::to_string(option.low) +
                   (is_limited ? " to " + std::to_string(option.high) : "") + unit;
        }
        case Type::bytes: return "number of bytes, also with `K`, `M` or `G` (times 1024)";
        case Type::flag: return "`1` or `0` in a variable";
        case Type::toggle: return "`on` or `off`";
        case Type::count: return "how often, up to " + std::to_string(option.high) + "; a number in a variable";
    }
    return "";
}

std::string_view mode(Option const& option) {
    switch (option.mode) {
        case Mode::any: return "any";
        case Mode::functional: return "functional";
        case Mode::timing: return "timing";
    }
    return "";
}

}  // namespace

std::string reference() {
    std::string text =
        "# Options\n\n"
        "Made from [table.hpp](table.hpp); `WARPSIM_REBASE=1 warpsim-tests \"The page of options*\"` makes it "
        "again.\nAn option of the command line wins over its variable, and both win over what a plan says.\n";
    for (Head const& head : heads) {
        text += "\n" + std::string(head.text) +
                "| option | variable | is | default | mode | meaning |\n| --- | --- | --- | --- | --- | --- |\n";
        for (Option const& option : table) {
            if (option.section != head.section) continue;
            if (head.command != Command::both && option.command != head.command) continue;
            text += "| " + cell(usage(option)) + " " + cell(code(option.variable)) + " " + cell(type(option)) +
                    " " + cell(code(option.otherwise)) + " " + cell(std::string(mode(option))) + " " +
                    cell(std::string(option.help)) + "\n";
        }
    }
    return text;
}

}  // namespace warpsim::options
