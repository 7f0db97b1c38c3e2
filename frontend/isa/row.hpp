// One row is one syntax line of the PTX ISA manual, with everything that is known about it: the types it allows, the
// version and target that brought it, the unit that executes it, and what it computes. Rows are data; checking,
// decoding, `warpsim isa`, diagnostics and test coverage all read them.
#pragma once

#include "frontend/isa/operands.hpp"
#include "frontend/isa/types.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace warpsim::isa {

inline constexpr int max_sources = 5;

/// A row for one choice of its types: what is compiled in.
struct Variant {
    std::array<Type, 3> types{};                // the types as they are written, in order
    Type result = Type::none;                   // pred for a predicate result
    std::array<Type, max_sources> sources{};
    std::uint8_t source_count = 0;
    std::uint16_t selector = 0;                 // value of the row's compiled-in modifiers, see Row::selector
    LaneFunction run = nullptr;
    LaneFunction run_ftz = nullptr;             // with .ftz; null when the row has none
    LaneFunction run_directed = nullptr;        // with .rz .rm .rp, the mode in Operands::immediate
    LaneFunction run_directed_ftz = nullptr;
};

/// PTX ISA version, 10 * major + minor, and the lowest target (sm number).
struct Since {
    std::uint16_t version = 10;
    std::uint16_t target = 0;
};
constexpr Since since(int major, int minor, int target = 0) {
    return {static_cast<std::uint16_t>(10 * major + minor), static_cast<std::uint16_t>(target)};
}

struct Row {
    /// As the manual prints it: `add{.rnd}{.ftz}{.sat}.f32 d, a, b`. `{.x}` is optional; `.rnd` and the like name a
    /// class of modifiers (modifiers.cpp); `.type`, `.dtype`, `.atype`, `.btype` are types, so are literal ones.
    std::string_view syntax;
    Since since;
    Unit unit = Unit::none;
    Effect effect = Effect::lanes;
    /// The legal types. Of an effect row the variants have no functions.
    std::span<Variant const> variants;
    /// The modifier class that is compiled in ("" for none): Variant::selector is the written member's position.
    std::string_view selector;
    /// Operand types of an effect row, one word per operand of the syntax line: "type" the first written type,
    /// "type2" the second, "pred" "u32" ... that type, "any" whatever stands there. Empty: all of the first type.
    std::string_view operand_types;
};

/// The class that the statistics count an instruction of this row and variant under.
InstructionClass instruction_class(Row const& row, Variant const& variant);

}  // namespace warpsim::isa
