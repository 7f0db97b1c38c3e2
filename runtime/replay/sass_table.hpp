// What is known of SASS opcodes, from Volta to Hopper: which unit issues one, how many registers its operands are, and the
// PTX instruction that stands in for it, whose kind of effect, class and time the model knows.
#pragma once

#include "sim/timing/plan/micro_op.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpsim::replay {

struct SassRow {
    enum Flag : std::uint16_t {
        none = 0,
        generic = 1,  // the space of an access follows from its addresses
        copies = 2,   // to shared memory, beside the warp
        commits_copies = 4,
        awaits_copies = 8,
        leaves = 16,  // EXIT
        is_barrier = 32,
        sleeps = 64,
        result_follows = 128,  // a predicate, if the trace names no result: the first source is it
    };
    /// Registers of each operand as it is written; of an access, its data have as many as its bytes need.
    using Widths = std::array<std::uint8_t, 4>;
    static constexpr Widths words{1, 1, 1, 1}, pairs{2, 2, 2, 2};

    std::string_view opcode;  // its first parts
    timing::MicroUnit unit{};
    std::string_view stand_in;  // PTX; of a product, its shape and types
    std::uint16_t flags = none;
    std::uint8_t results = 1;
    Widths sources = words;
    std::uint8_t steps = 1;  // as many of these are one of the stand-in

    constexpr bool is(Flag flag) const { return (flags & flag) != 0; }
    bool is_access() const { return unit == timing::MicroUnit::lsu; }
    /// Of shared or local memory, whose addresses are one register.
    bool is_narrow_access() const {
        return stand_in.find(".shared") != std::string_view::npos ||
               stand_in.find(".local") != std::string_view::npos;
    }
};

/// The row of an opcode: the one that shares most of its parts. Null: the opcode is unknown.
SassRow const* sass_row(std::string_view opcode);
/// Why an opcode with which the table begins is not timed; empty: it is.
std::string_view why_not_timed(std::string_view opcode);
/// The stand-in as PTX.
std::string text_of(SassRow const& row);
/// The part of the table that is of tensor cores.
std::span<SassRow const> product_rows();

}  // namespace warpsim::replay
