// `warpsim isa`: every instruction form, and whether it is parsed, executed and timed.
#include "command.hpp"
#include "frontend/diagnostic.hpp"
#include "frontend/isa/table.hpp"
#include "runtime/statistics/statistics.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace warpsim::command {

namespace {

std::string_view opcode(isa::Row const& row) { return row.syntax.substr(0, row.syntax.find_first_of(".{ ")); }

bool is_executed(isa::Row const& row) { return row.effect != isa::Effect::not_executed; }

// Each choice of types once: ".u32", ".f32.f64".
std::vector<std::string> type_lists(isa::Row const& row) {
    std::vector<std::string> lists;
    for (isa::Variant const& variant : row.variants) {
        std::string text;
        for (isa::Type const type : variant.types)
            if (type != isa::Type::none) text += "." + std::string(isa::name(type));
        if (!text.empty() && std::find(lists.begin(), lists.end(), text) == lists.end()) lists.push_back(text);
    }
    return lists;
}

std::string version(isa::Row const& row) {
    return std::to_string(row.since.version / 10) + "." + std::to_string(row.since.version % 10);
}

std::string padded(std::string_view text, std::size_t width) {
    return std::string(text) + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

// A class of modifiers that a syntax line names, such as .rnd, with its members.
std::string modifier_classes(std::vector<isa::Row const*> const& rows) {
    std::vector<std::string> seen;
    std::string text;
    for (isa::Row const* const row : rows)
        for (std::size_t at = row->syntax.find('.'); at != std::string_view::npos;
             at = row->syntax.find('.', at + 1)) {
            std::size_t end = at + 1;
            while (end < row->syntax.size() && (std::isalnum(static_cast<unsigned char>(row->syntax[end])) != 0 ||
                                                row->syntax[end] == '_' || row->syntax[end] == ':'))
                ++end;
            std::string const name(row->syntax.substr(at, end - at));
            auto const members = isa::modifier_class(name);
            if (members.empty() || std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
            seen.push_back(name);
            text += "  " + padded(name, 12) + "=";
            for (std::string_view const member : members) text += " " + std::string(member);
            text += "\n";
        }
    return text;
}

// Wide enough for all but a few tensor forms, which push their columns to the right.
constexpr std::size_t form_width = 84;

void print_table(std::vector<isa::Chapter> const& chapters) {
    std::string text;
    std::size_t count = 0;
    std::size_t executed = 0;
    for (isa::Chapter const& chapter : chapters) {
        text += std::string(chapter.title) + "\n  " + padded("form", form_width) + " parsed  executed  timed\n";
        for (isa::Row const& row : chapter.rows) {
            text += "  " + padded(row.syntax, form_width) + " yes     " + (is_executed(row) ? "yes" : "no ") +
                    "       no\n";
            ++count;
            executed += is_executed(row) ? 1u : 0u;
        }
        text += "\n";
    }
    print(text + std::to_string(count) + " forms: " + std::to_string(count) + " parsed, " +
          std::to_string(executed) + " executed, 0 timed\n");
}

std::string to_json(isa::Chapter const& chapter, isa::Row const& row) {
    std::string types;
    for (std::string const& list : type_lists(row))
        types += (types.empty() ? "" : ", ") + statistics::json_string(list);
    auto const flag = [](bool b) { return std::string(b ? "true" : "false"); };
    return "  {\"mnemonic\": " + statistics::json_string(opcode(row)) +
           ", \"syntax\": " + statistics::json_string(row.syntax) +
           ", \"chapter\": " + statistics::json_string(chapter.title) + ", \"types\": [" + types +
           "], \"unit\": " + statistics::json_string(isa::name(row.unit)) + ", \"since\": {\"version\": \"" +
           version(row) +
           "\", \"target\": " + (row.since.target == 0 ? "null" : std::to_string(row.since.target)) +
           "}, \"parsed\": true, \"executed\": " + flag(is_executed(row)) +
           ", \"timed\": false, \"latency\": null}";
}

void print_one(std::string const& mnemonic, std::vector<isa::Row const*> const& rows) {
    std::string text = mnemonic + ": " + std::to_string(rows.size()) + (rows.size() == 1 ? " form\n" : " forms\n");
    for (isa::Row const* const row : rows) {
        text += "\n  " + std::string(row->syntax) + "\n";
        std::string types;
        for (std::string const& list : type_lists(*row)) types += " " + list;
        if (!types.empty()) text += "      types     " + types + "\n";
        text += "      unit       " + std::string(isa::name(row->unit)) + "\n";
        text += "      since      PTX ISA " + version(*row) +
                (row->since.target == 0 ? "" : ", sm_" + std::to_string(row->since.target)) + "\n";
        text += "      executed   " + std::string(is_executed(*row) ? "yes" : "no") + ", timed: not yet\n";
    }
    std::string const classes = modifier_classes(rows);
    if (!classes.empty()) text += "\n" + classes;
    print(text);
}

int show(std::string const& mnemonic, bool json) {
    auto const& chapters = isa::chapters(isa::host_isa());
    // Any instruction as written will do: only its opcode counts.
    std::string const wanted = mnemonic.substr(0, mnemonic.find_first_of(". "));
    std::vector<std::string_view> known;
    std::vector<isa::Row const*> rows;
    std::string objects;
    for (isa::Chapter const& chapter : chapters)
        for (isa::Row const& row : chapter.rows) {
            known.push_back(opcode(row));
            if (!wanted.empty() && opcode(row) != wanted) continue;
            rows.push_back(&row);
            if (json) objects += (objects.empty() ? "" : ",\n") + to_json(chapter, row);
        }
    if (!mnemonic.empty() && rows.empty()) {
        std::string_view const near = frontend::nearest(wanted, known);
        throw Error(ErrorKind::usage, "there is no instruction '" + wanted + "'" +
                                          (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
    }
    if (json) print("[\n" + objects + "\n]\n");
    else if (mnemonic.empty()) print_table(chapters);
    else print_one(wanted, rows);
    return success;
}

}  // namespace

void add_isa(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("isa", "The instruction forms: parsed, executed, timed");
    struct Options {
        std::string mnemonic;
        bool json = false;
    };
    auto const options = std::make_shared<Options>();
    sub->add_option("mnemonic", options->mnemonic, "Only this instruction: its legal forms, types and unit")
        ->type_name("MNEMONIC");
    sub->add_flag("--json", options->json, "As a JSON array, one object per form");
    sub->callback([options, &status] { status = show(options->mnemonic, options->json); });
}

}  // namespace warpsim::command
