// What is known of SASS opcodes, from Volta to Hopper: which unit issues one, and the PTX instruction that stands in
// for it, whose kind of effect, class and time the model knows.
#pragma once

#include "sim/timing/plan/micro_op.hpp"

#include <cstdint>
#include <string_view>

namespace warpsim::replay {

struct SassRow {
    enum Flag : std::uint8_t {
        none = 0,
        wide = 1,          // registers are pairs
        generic = 2,       // the space of an access follows from its addresses
        asynchronous = 4,  // its register is none of the trace: something waits for it with awaits_copies
        awaits_copies = 8,
        leaves = 16,  // EXIT
        is_barrier = 32,
    };
    std::string_view opcode;  // its first parts
    timing::MicroUnit unit{};
    std::string_view stand_in;  // PTX
    std::uint8_t flags = none;
    std::uint8_t results = 1;  // registers that each destination has, where that does not follow from the access

    constexpr bool is(Flag flag) const { return (flags & flag) != 0; }
};

/// The row of an opcode: the one that shares most of its parts. Null: the opcode is unknown.
SassRow const* sass_row(std::string_view opcode);
/// Why an opcode with which the table begins is not timed; empty: it is.
std::string_view why_not_timed(std::string_view opcode);

}  // namespace warpsim::replay
