// What an instruction is and how it is modified, as enumerations: passes compare these, never text. Both are
// generated from the rows of the instruction table during the build, so a new row brings its enumerators with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpsim::isa {

// NOLINTBEGIN(bugprone-macro-parentheses): the generated parts are lists of enumerators and sums.

/// An instruction by its name, the part of the mnemonic that `instruction_name` gives: `mad.lo` is
/// Operation::mad_lo, `cp.async.bulk` Operation::cp_async_bulk, and `and` Operation::and_ (a keyword of C++).
enum class Operation : std::uint16_t {
#define WARPSIM_OPERATION(identifier, spelling) identifier,
#include "frontend/isa/operations.inc"
#undef WARPSIM_OPERATION
};

/// A modifier that is no type: `.shared::cta` is Modifier::shared_cta, `.1d` Modifier::_1d, `.and` Modifier::and_.
enum class Modifier : std::uint16_t {
#define WARPSIM_MODIFIER(identifier, spelling) identifier,
#include "frontend/isa/operations.inc"
#undef WARPSIM_MODIFIER
};

inline constexpr std::size_t operation_count = 0
#define WARPSIM_OPERATION(identifier, spelling) +1
#include "frontend/isa/operations.inc"
#undef WARPSIM_OPERATION
    ;
inline constexpr std::size_t modifier_count = 0
#define WARPSIM_MODIFIER(identifier, spelling) +1
#include "frontend/isa/operations.inc"
#undef WARPSIM_MODIFIER
    ;
// NOLINTEND(bugprone-macro-parentheses)

/// "mad.lo"
std::string_view name(Operation operation);
/// ".shared::cta"
std::string_view name(Modifier modifier);
/// The instruction of a row, by the row's index in rows().
Operation operation_of(std::uint32_t row);
/// The modifier spelled so, with its dot; it must be one that some row takes.
Modifier modifier_named(std::string_view spelling);

}  // namespace warpsim::isa
