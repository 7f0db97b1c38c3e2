// A row's syntax line taken apart: which modifiers it has, in which order its types come, and what its operands
// are.
#pragma once

#include "frontend/isa/syntax_line.hpp"
#include "frontend/isa/table.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpsim::frontend {

/// One modifier of a syntax line: a literal, one of a class, or a type.
struct ModifierSlot {
    std::string_view spelling;                  // ".sat" ".rnd" ".type" ".f32"
    std::span<std::string_view const> members;  // of a class; empty for a literal
    bool is_type = false;
    bool is_open_type = false;  // .type .dtype ...: the variants say which
    std::uint8_t group = 0;     // 0: must be there; else the braces it stands in
    bool is_in_name = false;    // stands in its place only: .async of cp.async, .hi of mul.hi

    bool takes(std::string_view modifier) const;
};

using isa::OperandSlot;

struct SyntaxLine {
    std::string_view opcode;
    std::vector<ModifierSlot> modifiers;
    std::vector<std::uint8_t> outer_group;  // of each group: the one it stands in, 0: none
    std::vector<OperandSlot> operands;
    std::uint8_t operand_groups = 0;
    unsigned least_operands = 0;  // a pair counts as one, as it is written
    unsigned most_operands = 0;
};

SyntaxLine parse_syntax_line(isa::Row const& row);

/// The syntax line of a row, by the row's index; it is read when it is first asked for.
SyntaxLine const& syntax_line(std::uint32_t row);
/// The rows of one opcode; empty when there is no such opcode.
std::span<std::uint32_t const> rows_of(std::string_view opcode);
std::vector<std::string_view> const& opcodes();

}  // namespace warpsim::frontend
