#include "frontend/decode/syntax_line.hpp"

#include "frontend/isa/names.hpp"

#include <algorithm>
#include <map>

namespace warpsim::frontend {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

ModifierSlot modifier_slot(std::string_view spelling, std::uint8_t group) {
    ModifierSlot slot;
    slot.spelling = spelling;
    slot.group = group;
    slot.members = isa::modifier_class(spelling);
    slot.is_open_type = slot.members.empty() && isa::names_open_type(spelling);
    slot.is_type = slot.is_open_type || isa::type_named(spelling.substr(1)) != isa::Type::none;
    if (slot.is_type) slot.members = {};
    return slot;
}

/// Reads the mnemonic of a line; returns where it ends.
std::size_t parse_modifiers(std::string_view text, SyntaxLine& line) {
    std::size_t const name_end = isa::instruction_name(text).size();
    std::size_t at = text.find_first_of(".{ \t\n;");
    if (at == std::string_view::npos) at = text.size();
    line.opcode = text.substr(0, at);
    std::vector<std::uint8_t> open;
    line.outer_group.push_back(0);
    while (at < text.size() && !is_space(text[at]) && text[at] != ';') {
        if (text[at] == '{') {
            line.outer_group.push_back(open.empty() ? std::uint8_t{0} : open.back());
            open.push_back(static_cast<std::uint8_t>(line.outer_group.size() - 1));
            ++at;
        } else if (text[at] == '}') {
            if (!open.empty()) open.pop_back();
            ++at;
        } else {
            std::size_t const end = std::min(text.find_first_of(".{} \t\n;", at + 1), text.size());
            line.modifiers.push_back(
                modifier_slot(text.substr(at, end - at), open.empty() ? std::uint8_t{0} : open.back()));
            line.modifiers.back().is_in_name = at < name_end;
            at = end;
        }
    }
    return at;
}

/// The operands of a line, a character at a time: it is a handful of shapes, `d`, `p|q`, `d[|p]`, `d{|p}`, `[a]`,
/// `{!}c`, `{a, b}`, `(a)`, `{, c}`.
class OperandReader {
public:
    OperandReader(std::string_view text, SyntaxLine& line) : text_(text), line_(line) {}

    void read() {
        while (at_ < text_.size()) {
            skip_separators();
            if (at_ < text_.size() && text_[at_] != ';') operand();
            else break;
        }
        for (OperandSlot const& slot : line_.operands) {
            if (slot.closes_pair) continue;
            ++line_.most_operands;
            if (slot.group == 0) ++line_.least_operands;
        }
    }

private:
    bool at(std::string_view word) const { return text_.substr(at_).starts_with(word); }
    char next_visible(std::size_t from) const {
        while (from < text_.size() && is_space(text_[from])) ++from;
        return from < text_.size() ? text_[from] : '\0';
    }

    void skip_separators() {
        while (at_ < text_.size()) {
            char const c = text_[at_];
            if (is_space(c) || c == ',') {
                ++at_;
            } else if (c == '{' && next_visible(at_ + 1) == ',') {
                group_ = ++line_.operand_groups;
                ++depth_;
                ++at_;
            } else if (c == '}' && depth_ > 0) {
                if (--depth_ == 0) group_ = 0;
                ++at_;
            } else {
                return;
            }
        }
    }

    std::string_view word() {
        std::size_t const first = at_;
        while (at_ < text_.size() && !is_space(text_[at_]) &&
               std::string_view(",|[]{}();!").find(text_[at_]) == std::string_view::npos) {
            ++at_;
        }
        return text_.substr(first, at_ - first);
    }

    std::string_view enclosed(char open, char close) {
        std::size_t const first = at_;
        int depth = 0;
        do {
            if (text_[at_] == open) ++depth;
            if (text_[at_] == close) --depth;
            ++at_;
        } while (at_ < text_.size() && depth > 0);
        return text_.substr(first, at_ - first);
    }

    void operand() {
        OperandSlot slot;
        slot.group = group_;
        if (at("{!}")) {
            slot.can_be_negated = true;
            at_ += 3;
        } else if (at("!")) {
            slot.can_be_negated = true;
            ++at_;
        } else if (at("{-}")) {
            slot.can_be_minus = true;
            at_ += 3;
        }
        std::size_t const before = at_;
        if (at("[")) {
            slot.name = enclosed('[', ']');
            slot.is_address = true;
        } else if (at("{")) {
            slot.name = enclosed('{', '}');
            slot.is_vector = true;
        } else if (at("(")) {
            slot.name = enclosed('(', ')');
        } else {
            slot.name = word();
            slot.must_be_selected = slot.name.find('.') != std::string_view::npos;
            slot.can_be_selected = slot.must_be_selected || at("{.");
            if (at("{.")) enclosed('{', '}');
        }
        if (at_ == before) {
            ++at_;
            return;
        }  // a character with no meaning here
        if (slot.is_address) skip_suffix();
        bool const is_first = line_.operands.empty();
        slot.is_destination = is_first && (slot.name.starts_with('d') || slot.name.starts_with('p') ||
                                           slot.name.starts_with('r') || slot.name.starts_with("{d"));
        bool const optional_pair = at("[|") || at("{|");
        if (!optional_pair && !at("|")) {
            line_.operands.push_back(slot);
            return;
        }
        at_ += optional_pair ? 2 : 1;
        slot.opens_pair = true;
        slot.pair_is_optional = optional_pair;
        line_.operands.push_back(slot);
        slot.name = word();
        slot.opens_pair = false;
        slot.closes_pair = true;
        line_.operands.push_back(slot);
        if (optional_pair) ++at_;
    }

    /// `[a]{.unified}`
    void skip_suffix() {
        if (at("{.")) enclosed('{', '}');
        else if (at(".")) word();
    }

    std::string_view text_;
    SyntaxLine& line_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::uint8_t group_ = 0;
};

struct OpcodeIndex {
    std::map<std::string_view, std::vector<std::uint32_t>> rows;
    std::vector<std::string_view> names;
};

OpcodeIndex const& opcode_index() {
    static auto const& index = *new auto([] {
        OpcodeIndex made;
        std::vector<SyntaxLine> const& lines = syntax_lines();
        for (std::uint32_t i = 0; i < lines.size(); ++i) made.rows[lines[i].opcode].push_back(i);
        for (auto const& [name, rows] : made.rows) made.names.push_back(name);
        return made;
    }());
    return index;
}

}  // namespace

bool ModifierSlot::takes(std::string_view modifier) const {
    if (members.empty()) return spelling == modifier;
    return std::find(members.begin(), members.end(), modifier) != members.end();
}

SyntaxLine parse_syntax_line(isa::Row const& row) {
    SyntaxLine line;
    std::size_t const end = parse_modifiers(row.syntax, line);
    OperandReader(row.syntax.substr(end), line).read();
    if (row.effect == isa::Effect::lanes && !line.operands.empty()) line.operands[0].is_destination = true;
    if (line.operands.size() > 1 && line.operands[0].opens_pair) {
        line.operands[1].is_destination = line.operands[0].is_destination;
    }
    return line;
}

std::vector<SyntaxLine> const& syntax_lines() {
    static auto const& lines = *new auto([] {
        std::vector<SyntaxLine> made;
        for (isa::Row const& row : isa::rows(isa::HostIsa::baseline)) made.push_back(parse_syntax_line(row));
        return made;
    }());
    return lines;
}

std::span<std::uint32_t const> rows_of(std::string_view opcode) {
    auto const& rows = opcode_index().rows;
    auto const found = rows.find(opcode);
    if (found == rows.end()) return {};
    return found->second;
}

std::vector<std::string_view> const& opcodes() { return opcode_index().names; }

}  // namespace warpsim::frontend
