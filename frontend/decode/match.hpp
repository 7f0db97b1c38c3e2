// Mnemonics as written -> rows of the instruction table. Written modifiers are matched as a set, types as an
// ordered list, because that is how PTX is read in practice: `add.s32.sat` is `add.sat.s32`.
#pragma once

#include "frontend/decode/name_map.hpp"
#include "frontend/decode/syntax_line.hpp"
#include "frontend/diagnostic.hpp"
#include "frontend/ir/module.hpp"

#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace warpsim::frontend {

/// Types that no register can be declared as: their values live in registers of bits, which must be of just their size.
bool lives_in_bits(isa::Type type);

/// A further part of an address: a list of `length`, or with 0 one operand.
struct AddressPart {
    unsigned length = 0;
    isa::Type type = isa::Type::none;
    bool is_optional = false;
    bool can_be_longer = false;
    bool has_index = false;  // in front of the others
};

/// What an operand of a row must be, beside its type.
struct OperandRule {
    bool is_sink = false;      // `_` only
    bool is_any = false;       // whatever stands there, lists included
    bool is_written = false;
    bool can_be_sink = false;
    bool is_constant = false;
    unsigned length = 0;       // of a list; 0: as the modifiers say
    bool is_list = false;      // a register alone will not do, even where the length is 1
    bool or_value = false;     // a list that is longer or one value will do
    bool is_pointer = false;   // an integer of 32 or 64 bits
    bool is_implied = false;   // the type is not among those that are written
    bool must_be_register = false;
    bool must_be_untyped = false;  // a register of type .bN
    bool is_data = false;      // of a surface: registers and lists that are longer will do
    enum class Tensor : std::uint8_t { no, address, untyped_address };
    Tensor tensor = Tensor::no;  // an address in tensor memory
    isa::Type handle = isa::Type::none;  // texref or surfref: the address is a variable of this type or 64 bits
    std::optional<isa::StateSpace> space;            // of an address; nothing: as the modifiers say
    std::vector<AddressPart> parts;  // further ones in an address's brackets
    std::string_view values;         // that a constant may have: 4/8/16 or 0..3; empty: all

    bool allows(std::int64_t value) const;
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
    std::vector<isa::Type> types;  // of each operand slot; none: whatever stands there
    std::vector<bool> is_list;     // of each operand slot: with .v2 .v4 .v8 a list of so many
    std::vector<OperandRule> rules;  // of each operand slot of an effect row
    bool is_relaxed = false;       // registers may be wider than the type: ld, st, cvt
    // How many operands may be written, a pair counted as one, and which of the `{, x}` must not or must be there
    // because a modifier asks for them.
    unsigned least_operands = 0;
    unsigned most_operands = 0;
    std::uint32_t closed_groups = 0;  // bit g: group g
    std::uint32_t asked_groups = 0;
    std::optional<Unmet> unmet;
};

/// A mnemonic in its parts; views into the source.
struct WrittenMnemonic {
    std::string_view opcode;
    std::vector<std::string_view> modifiers;  // all but types, each with its dot
    std::vector<std::string_view> types;      // each with its dot
    std::vector<std::string_view> parts;      // both in the order written
};
WrittenMnemonic split_mnemonic(std::string_view text);

/// The forms of a module: every distinct mnemonic is matched once.
class Mnemonics {
public:
    explicit Mnemonics(ir::Module& module) : module_(&module) {}

    /// The rows that a mnemonic can mean, which differ in their operands; empty: none.
    std::span<Shape const> shapes(std::string_view mnemonic) {
        std::uint32_t& entry = index_[mnemonic];
        if (entry == ir::none) entry = add(mnemonic);
        return entries_[entry];
    }

    /// Says why a mnemonic means nothing.
    static void explain(std::string_view mnemonic, Diagnostics& diagnostics);

private:
    std::uint32_t add(std::string_view mnemonic);

    ir::Module* module_;
    NameMap index_;
    std::deque<std::vector<Shape>> entries_;
};

/// How near a written mnemonic comes to a row.
struct MnemonicProbe {
    bool all_placed = false;   // every written modifier has its place in the line
    bool is_complete = false;  // and none is missing
    bool is_disordered = false;  // none is missing, but they stand in an order that says something else
    bool types_fit = false;
    std::vector<ModifierSlot const*> missing;
};
MnemonicProbe probe(std::uint32_t row, WrittenMnemonic const& written);
/// The lists of types that a row takes.
std::vector<std::vector<isa::Type>> legal_types(std::uint32_t row);

// ---- explain.cpp ----

/// The syntax lines of rows as one note: `legal: add.type d, a, b` and a line for each further one.
std::string legal_lines(std::span<std::uint32_t const> rows);

}  // namespace warpsim::frontend
