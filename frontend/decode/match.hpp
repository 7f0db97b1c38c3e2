// Looks up mnemonics as written in the instruction table. Written modifiers are matched as a set and types as an
// ordered list, because that is how PTX is read in practice: `add.s32.sat` is `add.sat.s32`.
#pragma once

#include "frontend/decode/name_map.hpp"
#include "frontend/decode/shape.hpp"
#include "frontend/diagnostic.hpp"
#include "frontend/ir/module.hpp"

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::frontend {

inline isa::Row const& row_at(std::uint32_t index) { return isa::rows(isa::HostIsa::baseline)[index]; }

/// A name as messages quote it; a name too long for a line is shortened to its beginning.
inline std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 120;
    std::string result(1, '\'');
    result += text.substr(0, longest);
    if (text.size() > longest) result += "...";
    result += '\'';
    return result;
}

/// A mnemonic split into its parts, which are views into the source.
struct WrittenMnemonic {
    std::string_view opcode;
    std::vector<std::string_view> modifiers;  // all except types, each with its dot
    std::vector<std::string_view> types;      // each with its dot
    std::vector<std::string_view> parts;      // modifiers and types in the order written
};
WrittenMnemonic split_mnemonic(std::string_view text);

/// The forms of a module. Every distinct mnemonic is matched only once.
class Mnemonics {
public:
    explicit Mnemonics(ir::Module& module) : module_(&module) {}

    /// The rows that a mnemonic can mean, which differ only in their operands; empty if there are none.
    std::span<Shape const> shapes(std::string_view mnemonic) {
        std::uint32_t& entry = index_[mnemonic];
        if (entry == ir::none) entry = add(mnemonic);
        return entries_[entry];
    }

    /// Explains why a mnemonic is not known.
    static void explain(std::string_view mnemonic, Diagnostics& diagnostics);

private:
    std::uint32_t add(std::string_view mnemonic);

    ir::Module* module_;
    NameMap index_;
    std::deque<std::vector<Shape>> entries_;
};

/// How closely a written mnemonic matches a row.
struct MnemonicProbe {
    bool all_placed = false;     // every written modifier has a place in the line
    bool is_complete = false;    // and none is missing
    bool is_disordered = false;  // none is missing, but their order gives another meaning
    bool types_fit = false;
    std::vector<ModifierSlot const*> missing;
};
MnemonicProbe probe(std::uint32_t row, WrittenMnemonic const& written);
/// The lists of types that a row takes.
std::vector<std::vector<isa::Type>> legal_types(std::uint32_t row);

// ---- explain.cpp ----

/// The syntax lines of rows as one note: `legal: add.type d, a, b`, with each further one on its own line.
std::string legal_lines(std::span<std::uint32_t const> rows);

}  // namespace warpsim::frontend
