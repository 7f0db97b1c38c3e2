// One row is one syntax line of the PTX ISA manual, with everything that is known about it: the types it allows,
// the version and target that introduced it, the unit that executes it, and what it computes. Rows are data:
// checking, decoding, `warpsim isa`, diagnostics and test coverage all read them.
#pragma once

#include "frontend/isa/effect_facts.hpp"
#include "frontend/isa/operand_spec.hpp"
#include "frontend/isa/operands.hpp"
#include "frontend/isa/types.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace warpsim::isa {

/// The enumerators are made from the rows and stand in effect.hpp.
enum class Effect : std::uint8_t;

inline constexpr int max_sources = 5;

/// A row for one choice of its types: what is compiled.
struct Variant {
    std::array<Type, 3> types{};  // the types as they are written, in order
    Type result = Type::none;     // pred for a predicate result
    std::array<Type, max_sources> sources{};
    std::uint8_t source_count = 0;
    std::uint16_t selector = 0;  // value of the row's compiled-in modifiers, see Row::selector
    LaneFunction run = nullptr;
    // Null means that the modifier changes nothing here beyond what `run` does already (the mode is compiled in by
    // `selector`, or the result has no subnormals): take `run`. For .ftz with a directed mode, fall back from
    // run_directed_ftz to run_directed.
    LaneFunction run_ftz = nullptr;       // with .ftz
    LaneFunction run_directed = nullptr;  // with .rz .rm .rp, the Rounding in Operands::immediate
    LaneFunction run_directed_ftz = nullptr;
};

/// PTX ISA version, 10 * major + minor, and the targets.
struct Since {
    std::uint16_t version = 10;
    std::uint16_t target = 0;  // the lowest that has it (sm number)
    /// Empty: all targets from `target` on. Else the only ones, separated by spaces: "90a" that target with its
    /// suffix, "100f" members of that family from this one on (with suffix a or f), "75-89" these with any suffix.
    std::string_view only = {};

    /// Whether a module for this target (sm number and suffix, 0 for none) may use it.
    bool allows(int sm, char suffix) const;
};
constexpr Since since(int major, int minor, int target = 0) {
    return {static_cast<std::uint16_t>(10 * major + minor), static_cast<std::uint16_t>(target), {}};
}
constexpr Since only_on(std::string_view targets, int major, int minor, int lowest) {
    return {static_cast<std::uint16_t>(10 * major + minor), static_cast<std::uint16_t>(lowest), targets};
}

/// What a row states about its computation beside its functions, for Traits.
enum Property : unsigned {
    is_commutative = 1,   // a and b may be exchanged
    is_multiply_add = 2,  // a * b + c, in one step or two
    is_uniform = 4,       // the hardware's uniform datapath executes it, on integers and predicates
};

struct Row {
    /// As the manual prints it: `add{.rnd}{.ftz}{.sat}.f32 d, a, b`. `{.x}` is optional; `.rnd` and the like name
    /// a class of modifiers (modifiers.hpp); `.type`, `.dtype`, `.atype`, `.btype`, `.ctype` and `.stype` stand
    /// for types, which may also be literal. Where the manual uses one name for different sets, ours has a suffix:
    /// `.ss` for ld, `.ss_st` for st. `{a, b}` of an operand that is a list of registers is printed as in the
    /// manual, and so are `p[|q]` (a second destination may follow), `{!}c` (may be negated), `{, c}` (may be
    /// missing) and `[a]{.unified}`.
    std::string_view syntax;
    Since since;
    Unit unit = Unit::none;
    EffectFacts const* facts = &effects::lanes;
    /// The legal types and, with a `selector`, the legal members for each of them.
    std::span<Variant const> variants;
    /// The modifier class that is compiled in ("" for none); Variant::selector is the position of the written
    /// member.
    std::string_view selector;
    /// For an effect row: what each operand of the line must be, optional ones included. For other rows the
    /// variants say it.
    OperandList operands;
    /// For a video instruction: the number of elements of a word that it works on (1, 2 or 4). 0 for all others.
    std::uint8_t video_elements = 0;
    std::uint8_t properties = 0;  // Property of the computation, stated by with()
    Effect effect{};              // the enumerator of `facts`, set in the list that rows() gives

    constexpr Row with(unsigned more) const {
        Row row = *this;
        row.properties = static_cast<std::uint8_t>(row.properties | more);
        return row;
    }
};

/// The class under which the statistics count an instruction of this row and variant.
InstructionClass instruction_class(Row const& row, Variant const& variant);

}  // namespace warpsim::isa
