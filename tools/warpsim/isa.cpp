// `warpsim isa`: every instruction form, and whether it is parsed, executed and timed.
#include "command.hpp"
#include "frontend/diagnostic.hpp"
#include "frontend/isa/effect.hpp"
#include "frontend/isa/table.hpp"
#include "runtime/statistics/statistics.hpp"
#include "sim/matrix/layout.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace warpsim::command {

namespace {

std::string_view opcode(isa::Row const& row) { return row.syntax.substr(0, row.syntax.find_first_of(".{ ")); }

// One syntax line of the manual. The table may have several rows for it, when its types are computed in different
// ways.
struct Form {
    std::string syntax;
    isa::Row const* row = nullptr;   // the first of them
    std::vector<std::string> types;  // each choice once: ".u32", ".f32.f64"
    std::vector<std::vector<std::string>>
        operands;  // for each choice of types, a word per operand (operand_spec.hpp)
    bool executed = false;
};

bool is_executed(isa::Row const& row) { return row.effect != isa::Effect::not_executed; }
/// Timing mode runs everything that functional mode runs.
bool is_timed(isa::Row const& row) { return is_executed(row); }

bool opens_brackets(isa::OperandList const& operands, isa::OperandSpec const& spec) {
    isa::OperandSpec const* const next = &spec + 1;
    return next != operands.end() && next->is_part;
}

std::vector<std::string> operands_of(isa::Row const& row, isa::Variant const& variant) {
    std::vector<std::string> words;
    if (row.effect == isa::Effect::lanes) {
        words.emplace_back(isa::name(variant.result));
        for (std::size_t i = 0; i < variant.source_count; ++i) words.emplace_back(isa::name(variant.sources[i]));
        return words;
    }
    for (isa::OperandSpec const& spec : row.operands) {
        if (spec.is_part) words.back().insert(words.back().size() - 1, ", " + isa::text(spec));
        else
            words.push_back(opens_brackets(row.operands, spec) ? "brackets(" + isa::text(spec) + ")"
                                                               : isa::text(spec));
    }
    return words;
}

void add_types(Form& form, isa::Row const& row) {
    for (isa::Variant const& variant : row.variants) {
        std::string text;
        for (isa::Type const type : variant.types)
            if (type != isa::Type::none) text += "." + std::string(isa::name(type));
        auto& types = form.types;
        if (std::find(types.begin(), types.end(), text) != types.end()) continue;
        types.push_back(text);
        form.operands.push_back(operands_of(row, variant));
    }
}

std::vector<Form> forms(std::span<isa::Row const> rows) {
    std::vector<Form> list;
    for (isa::Row const& row : rows) {
        std::string syntax = isa::printed(row.syntax);
        bool const goes_on = !list.empty() && list.back().syntax == syntax &&
                             list.back().executed == is_executed(row) && list.back().row->unit == row.unit &&
                             list.back().row->since.version == row.since.version &&
                             list.back().row->since.target == row.since.target;
        if (!goes_on) list.push_back({std::move(syntax), &row, {}, {}, is_executed(row)});
        add_types(list.back(), row);
    }
    return list;
}

std::string version(isa::Row const& row) {
    return std::to_string(row.since.version / 10) + "." + std::to_string(row.since.version % 10);
}

std::string padded(std::string_view text, std::size_t width) {
    return std::string(text) + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

// A class of modifiers that a syntax line names, such as .rnd, with its members.
struct ModifierClass {
    std::string name;  // in the table
    std::span<std::string_view const> members;
};

std::vector<ModifierClass> modifier_classes(std::string_view syntax) {
    std::vector<ModifierClass> classes;
    for (std::size_t at = syntax.find('.'); at != std::string_view::npos; at = syntax.find('.', at + 1)) {
        std::size_t end = at + 1;
        while (end < syntax.size() && (std::isalnum(static_cast<unsigned char>(syntax[end])) != 0 ||
                                       syntax[end] == '_' || syntax[end] == ':'))
            ++end;
        std::string const name(syntax.substr(at, end - at));
        if (auto const members = isa::modifier_class(name); !members.empty()) classes.push_back({name, members});
    }
    return classes;
}

std::string class_list(std::vector<Form> const& listed) {
    std::vector<std::string> seen;
    std::string text;
    for (Form const& form : listed) {
        for (auto const& [name, members] : modifier_classes(form.row->syntax)) {
            if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
            seen.push_back(name);
            text += "  " + padded(isa::printed(name), 12) + "=";
            for (std::string_view const member : members) text += " " + std::string(member);
            text += "\n";
        }
    }
    return text;
}

// Wide enough for all but a few tensor forms, whose columns are shifted to the right.
constexpr std::size_t form_width = 84;

/// How many forms of a chapter are parsed, executed and timed.
struct Count {
    std::size_t parsed = 0, executed = 0, timed = 0;

    void add(Count const& other) {
        parsed += other.parsed;
        executed += other.executed;
        timed += other.timed;
    }
    std::string line(std::string_view title) const {
        auto const column = [](std::size_t n, std::size_t width) {
            std::string const digits = std::to_string(n);
            return std::string(width - std::min(width, digits.size()), ' ') + digits;
        };
        return "  " + padded(title, form_width) + column(parsed, 6) + column(executed, 10) + column(timed, 7) +
               "\n";
    }
};

void print_table(std::vector<isa::Chapter> const& chapters) {
    std::string text;
    std::string const head = padded("", form_width + 2) + "parsed  executed  timed\n";
    std::string summary = head;
    Count total;
    for (isa::Chapter const& chapter : chapters) {
        text += std::string(chapter.title) + "\n  " + padded("form", form_width) + " parsed  executed  timed\n";
        Count count;
        for (Form const& form : forms(chapter.rows)) {
            bool const timed = is_timed(*form.row);
            text += "  " + padded(form.syntax, form_width) + " yes     " + (form.executed ? "yes" : "no ") +
                    (timed ? "       yes\n" : "       no\n");
            count.add({1, form.executed ? 1u : 0u, timed ? 1u : 0u});
        }
        text += "\n";
        summary += count.line(chapter.title);
        total.add(count);
    }
    print(text + summary + total.line("all") + "\n" + std::to_string(total.parsed) +
          " forms: " + std::to_string(total.parsed) + " parsed, " + std::to_string(total.executed) +
          " executed, " + std::to_string(total.timed) + " timed\n");
}

template <class List> std::string json_list(List const& list) {
    std::string text;
    for (auto const& item : list) text += (text.empty() ? "" : ", ") + statistics::json_string(std::string(item));
    return "[" + text + "]";
}

std::string to_json(isa::Chapter const& chapter, Form const& form) {
    std::string types, operands, classes;
    for (std::size_t i = 0; i < form.types.size(); ++i) {
        if (!form.types[i].empty()) types += (types.empty() ? "" : ", ") + statistics::json_string(form.types[i]);
        operands += (operands.empty() ? "" : ", ") + json_list(form.operands[i]);
    }
    isa::Row const& row = *form.row;
    for (auto const& [name, members] : modifier_classes(row.syntax))
        classes += (classes.empty() ? "" : ", ") + statistics::json_string(isa::printed(name)) + ": " +
                   json_list(members);
    return "  {\"mnemonic\": " + statistics::json_string(opcode(row)) +
           ", \"syntax\": " + statistics::json_string(form.syntax) +
           ", \"chapter\": " + statistics::json_string(chapter.title) + ", \"types\": [" + types +
           "], \"operands\": [" + operands + "], \"modifiers\": {" + classes +
           "}, \"unit\": " + statistics::json_string(isa::name(row.unit)) + ", \"since\": {\"version\": \"" +
           version(row) +
           "\", \"target\": " + (row.since.target == 0 ? "null" : std::to_string(row.since.target)) +
           ", \"only\": " + (row.since.only.empty() ? "null" : statistics::json_string(row.since.only)) +
           "}, \"parsed\": true, \"executed\": " + (form.executed ? "true" : "false") +
           ", \"timed\": " + (is_timed(row) ? "true" : "false") + ", \"latency\": null}";
}

void print_one(std::string const& mnemonic, std::vector<Form> const& listed) {
    std::string text =
        mnemonic + ": " + std::to_string(listed.size()) + (listed.size() == 1 ? " form\n" : " forms\n");
    for (Form const& form : listed) {
        isa::Row const& row = *form.row;
        text += "\n  " + form.syntax + "\n";
        std::string types;
        for (std::string const& list : form.types) types += list.empty() ? "" : " " + list;
        if (!types.empty()) text += "      types     " + types + "\n";
        text += "      unit       " + std::string(isa::name(row.unit)) + "\n";
        text += "      since      PTX ISA " + version(row) +
                (row.since.target == 0 ? "" : ", sm_" + std::to_string(row.since.target)) + "\n";
        text += "      executed   " + std::string(form.executed ? "yes" : "no") +
                ", timed: " + (is_timed(row) ? "yes" : "no") + "\n";
    }
    std::string const classes = class_list(listed);
    if (!classes.empty()) text += "\n" + classes;
    print(text);
}

int show(std::string const& mnemonic, bool json) {
    auto const& chapters = isa::chapters(isa::host_isa());
    // Any instruction as written is accepted: only its opcode counts.
    std::string const wanted = mnemonic.substr(0, mnemonic.find_first_of(". "));
    std::vector<std::string_view> known;
    std::vector<Form> listed;
    std::string objects;
    for (isa::Chapter const& chapter : chapters)
        for (Form const& form : forms(chapter.rows)) {
            known.push_back(opcode(*form.row));
            if (!wanted.empty() && opcode(*form.row) != wanted) continue;
            listed.push_back(form);
            if (json) objects += (objects.empty() ? "" : ",\n") + to_json(chapter, form);
        }
    if (!mnemonic.empty() && listed.empty()) {
        std::string_view const near = frontend::nearest(wanted, known);
        throw Error(ErrorKind::usage, "there is no instruction '" + wanted + "'" +
                                          (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
    }
    if (json) print("[\n" + objects + "\n]\n");
    else if (mnemonic.empty()) print_table(chapters);
    else print_one(wanted, listed);
    return success;
}

/// Where the lanes of a warp hold the elements of matrices: of the layouts whose names begin so; "list": their names.
int show_layouts(std::string const& wanted) {
    std::string text;
    std::vector<std::string_view> known;
    for (sim::matrix::Layout const& layout : sim::matrix::layouts()) {
        known.push_back(layout.name);
        if (wanted == "list") text += layout.name + "\n";
        else if (layout.name.starts_with(wanted)) text += (text.empty() ? "" : "\n") + sim::matrix::print(layout);
    }
    if (text.empty()) {
        std::string_view const near = frontend::nearest(wanted, known);
        throw Error(ErrorKind::usage,
                    "there is no layout '" + wanted + "'; " +
                        (near.empty() ? "--layout list prints all" : "did you mean '" + std::string(near) + "'?"));
    }
    print(text);
    return success;
}

}  // namespace

void add_isa(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("isa", "The instruction forms: parsed, executed, timed");
    struct Options {
        std::string mnemonic;
        bool json = false;
        std::string layout;
    };
    auto const options = std::make_shared<Options>();
    sub->add_option("mnemonic", options->mnemonic, "Only this instruction: its legal forms, types and unit")
        ->type_name("MNEMONIC");
    sub->add_flag("--json", options->json, "As a JSON array, one object per form");
    sub->add_option("--layout", options->layout,
                    "How lanes hold the matrices of these instructions, as mma.m16n8k16.f16; list: all names")
        ->type_name("NAME");
    sub->callback([options, &status] {
        status = options->layout.empty() ? show(options->mnemonic, options->json) : show_layouts(options->layout);
    });
}

}  // namespace warpsim::command
