// What a lane function reads and writes. The plan calls lane functions by their addresses; here each is found again in
// the table that it comes from.
#pragma once

#include "sim/exec/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::sim {

/// A column as an operand: log2 of the bytes of an element; 0: a predicate.
struct LaneOperand {
    Slot slot = 0;
    std::uint8_t log2 = 0;

    bool is_predicate() const { return log2 == 0; }
    bool operator==(LaneOperand const&) const = default;
};

/// Where the function stands in the tables that lane code is compiled with.
struct LaneOrigin {
    enum class Table : std::uint8_t { chapter, access, saturate };
    Table table = Table::chapter;
    std::string_view chapter;  // title
    std::size_t row = 0;       // in the chapter
    std::size_t variant = 0;
    std::size_t member = 0;            // byte offset in the variant, or in AccessFunctions
    isa::Type type = isa::Type::none;  // of a saturation
};

/// Where the result's lanes are first + step * lane if those of the operands are: sums, and products with what all lanes
/// have in common. All arithmetic is modulo 2^bits.
struct LinearRule {
    bool is_linear = false;
    bool multiplies = false;         // the first two sources, of which one must be the same in all lanes
    bool only_first_varies = false;  // ... the second
    bool widens = false;             // from 32 to 64 bits, which holds only where no lane's value wraps around
    bool is_signed = false;          // ... as signed numbers
};

struct LaneCall {
    LaneOrigin origin;
    LaneOperand destination;
    std::vector<LaneOperand> sources;  // slots [1], [2] ...
    bool reads_destination = false;
    bool reads_scalar = false;             // slot [1] + immediate is a scalar in memory
    std::optional<LaneOperand> carry_out;  // in the slot behind the sources
    LinearRule linear;
};

/// None: the function has no other version than the interpreter's, or changes the host's rounding mode.
std::optional<LaneCall> find_lane_call(KernelPlan const& plan, FunctionPlan const& function, Op const& op,
                                       isa::HostIsa host);

}  // namespace warpsim::sim
