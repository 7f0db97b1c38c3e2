#include "frontend/decode/syntax_line.hpp"

#include "frontend/isa/effect.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>

namespace warpsim::frontend {

namespace {

/// Keeps what is read.
class Keeper {
public:
    explicit Keeper(SyntaxLine& line) : line_(line) { line.outer_group.push_back(0); }

    void opcode(std::string_view word) { line_.opcode = word; }
    void group(std::uint8_t outer) { line_.outer_group.push_back(outer); }
    void modifier(std::string_view word, std::uint8_t group) {
        ModifierSlot slot;
        slot.spelling = word;
        slot.group = group;
        slot.members = isa::modifier_class(word);
        slot.is_open_type = slot.members.empty() && isa::stands_for_type(word);
        slot.is_type = slot.is_open_type || isa::type_named(word.substr(1)) != isa::Type::none;
        if (slot.is_type) slot.members = {};
        line_.modifiers.push_back(slot);
    }
    void operand(OperandSlot const& slot) {
        line_.operands.push_back(slot);
        line_.operand_groups = std::max(line_.operand_groups, slot.group);
        if (slot.closes_pair) return;
        ++line_.most_operands;
        if (slot.group == 0) ++line_.least_operands;
    }

private:
    SyntaxLine& line_;
};

/// The first operand of a row that computes lane by lane; what others write, their operands say.
void mark_destinations(isa::Row const& row, std::vector<OperandSlot>& slots) {
    isa::OperandSpec const* spec = row.operands.begin();
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].closes_pair) {
            slots[i].is_destination = slots[i - 1].is_destination;
            continue;
        }
        slots[i].is_destination = row.effect == isa::Effect::lanes ? i == 0 : spec->is_written();
        if (row.effect == isa::Effect::lanes) continue;
        for (++spec; spec != row.operands.end() && spec->is_part;) ++spec;
    }
}

std::string_view opcode_of(std::string_view syntax) { return syntax.substr(0, syntax.find_first_of(".{ \t\n;")); }

struct OpcodeIndex {
    std::map<std::string_view, std::vector<std::uint32_t>> rows;
    std::vector<std::string_view> names;
};

OpcodeIndex const& opcode_index() {
    static auto const& index = *new auto([] {
        OpcodeIndex made;
        std::vector<isa::Row> const& table = isa::rows(isa::HostIsa::baseline);
        for (std::uint32_t i = 0; i < table.size(); ++i) made.rows[opcode_of(table[i].syntax)].push_back(i);
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
    Keeper keeper(line);
    isa::LineReader(row.syntax, keeper).read();
    // The words of the instruction's name stand in their place only.
    char const* const name_end = row.syntax.data() + isa::instruction_name(row.syntax).size();
    for (ModifierSlot& slot : line.modifiers) slot.is_in_name = slot.spelling.data() < name_end;
    mark_destinations(row, line.operands);
    return line;
}

SyntaxLine const& syntax_line(std::uint32_t row) {
    // Modules are decoded by several threads. Two may read one line at the same time; the first to end is taken.
    static auto& lines =
        *new std::vector<std::atomic<SyntaxLine const*>>(isa::rows(isa::HostIsa::baseline).size());
    SyntaxLine const* line = lines[row].load(std::memory_order_acquire);
    if (line != nullptr) return *line;
    auto made = std::make_unique<SyntaxLine const>(parse_syntax_line(isa::rows(isa::HostIsa::baseline)[row]));
    if (lines[row].compare_exchange_strong(line, made.get(), std::memory_order_acq_rel)) line = made.release();
    return *line;
}

std::span<std::uint32_t const> rows_of(std::string_view opcode) {
    auto const& rows = opcode_index().rows;
    auto const found = rows.find(opcode);
    if (found == rows.end()) return {};
    return found->second;
}

std::vector<std::string_view> const& opcodes() { return opcode_index().names; }

}  // namespace warpsim::frontend
