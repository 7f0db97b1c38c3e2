// What an instruction is and how it was qualified, as enumerations: passes compare these, never text. Both are generated
// from the rows of the instruction table when it is compiled, so a new row brings its enumerators with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpsim::isa {

// NOLINTBEGIN(bugprone-macro-parentheses): what is generated are lists of enumerators and sums.

/// An instruction by its name: the part of the mnemonic that `instruction_name` gives. `mad.lo` is Operation::mad_lo,
/// `cp.async.bulk` Operation::cp_async_bulk, `and` Operation::and_ (a word of C++).
enum class Operation : std::uint16_t {
#define WARPSIM_OPERATION(identifier, spelling) identifier,
#include "frontend/isa/operations.inc"
#undef WARPSIM_OPERATION
};

/// A qualifier that is not a type. `.shared::cta` is Modifier::shared_cta, `.1d` Modifier::_1d, `.and` Modifier::and_.
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
/// The modifier that is spelled so, with its dot; every modifier that some row takes is one.
Modifier modifier_named(std::string_view spelling);

}  // namespace warpsim::isa
