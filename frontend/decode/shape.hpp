// What the operands of a form must be: how many there are, and the type and kind of each.
#pragma once

#include "frontend/decode/syntax_line.hpp"
#include "frontend/ir/module.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace warpsim::frontend {

/// Types that no register can be declared as: their values live in registers of bits, which must be of just their
/// size.
bool lives_in_bits(isa::Type type);

/// What an operand of a row must be, beside its type.
struct OperandRule {
    bool is_sink = false;  // `_` only
    bool is_written = false;
    bool can_be_sink = false;
    bool is_constant = false;
    unsigned length = 0;      // of a list; 0: as the modifiers say
    bool is_list = false;     // a register alone will not do, even where the length is 1
    bool or_value = false;    // a list that is longer or one value will do
    bool is_pointer = false;  // an integer of 32 or 64 bits
    bool is_implied = false;  // the type is not among those that are written
    bool must_be_register = false;
    bool must_be_untyped = false;  // a register of type .bN
    bool is_data = false;          // of a surface: registers and lists that are longer will do
    enum class Tensor : std::uint8_t { no, address, untyped_address };
    Tensor tensor = Tensor::no;            // an address in tensor memory
    isa::Type handle = isa::Type::none;    // texref or surfref: the address is a variable of this type or 64 bits
    std::optional<isa::StateSpace> space;  // of an address; nothing: as the modifiers say
    std::span<isa::OperandSpec const> parts;  // further ones in an address's brackets
    isa::LegalValues values;                  // of a constant
};

/// What a form needs and the module does not have.
struct Unmet {
    std::string_view modifier;  // that asks for it; empty: the whole form does
    isa::Since since;
};

/// One row that a mnemonic can mean, with the types of its operands.
struct Shape {
    std::uint32_t form = 0;  // Module::forms
    isa::Row const* row = nullptr;
    SyntaxLine const* line = nullptr;
    std::vector<isa::Type> types;    // of each operand slot; none: whatever stands there
    std::vector<bool> is_list;       // of each operand slot: with .v2 .v4 .v8 a list of as many elements
    std::vector<OperandRule> rules;  // of each operand slot of an effect row
    bool is_relaxed = false;         // registers may be wider than the type: ld, st, cvt
    // How many operands may be written, a pair counted as one, and which of the `{, x}` must not or must be there
    // because a modifier asks for them.
    unsigned least_operands = 0;
    unsigned most_operands = 0;
    std::uint32_t closed_groups = 0;  // bit g: group g
    std::uint32_t asked_groups = 0;
    std::optional<Unmet> unmet;
};

/// Fills in what is said of the operands of `shape.row`. `variant`: of a row that computes lane by lane, which has
/// one.
void set_operands(isa::Variant const* variant, ir::Form const& form, Shape& shape);

}  // namespace warpsim::frontend
