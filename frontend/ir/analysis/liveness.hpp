// Where in a function each register holds a value that is still needed.
#pragma once

#include "frontend/ir/analysis/register_uses.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpsim::ir {

/// A place in program order, in half steps: entry_point, then instruction i reads at 2i+1 and writes at 2i+2.
using ProgramPoint = std::uint32_t;
inline constexpr ProgramPoint entry_point = 0;
constexpr ProgramPoint read_point(std::uint32_t instruction) { return 2 * instruction + 1; }
constexpr ProgramPoint write_point(std::uint32_t instruction) { return 2 * instruction + 2; }

/// All points from begin to end, both included; empty for a register that nothing mentions.
struct LiveInterval {
    ProgramPoint begin = UINT32_MAX;
    ProgramPoint end = 0;

    bool empty() const { return begin > end; }
    void extend(ProgramPoint first, ProgramPoint last) {
        begin = std::min(begin, first);
        end = std::max(end, last);
    }
    void extend(ProgramPoint point) { extend(point, point); }
};

struct Liveness {
    /// Per register: the hull, in program order, of everywhere it is live. The sources of an instruction with
    /// several destinations live until after it: it may read them when it has written the first.
    std::vector<LiveInterval> intervals;
    /// The most units that registers which live at once take.
    std::uint32_t most_live = 0;
};

/// `units` says, per register, how many 32-bit registers of the hardware hold it: at most 4.
Liveness find_liveness(RegisterUses const& uses, std::vector<std::uint8_t> const& units);
Liveness find_liveness(RegisterUses const& uses);

/// 32-bit registers that hardware keeps a value in; none for predicates, which have a file of their own.
std::uint8_t units_of(Type type);

/// Registers, per block and in ascending order, whose values are needed when it begins and when it has ended. Takes
/// memory for each of them: for functions that somebody runs, not for all of a module.
struct BlockLiveness {
    Lists in, out;
};
BlockLiveness find_block_liveness(RegisterUses const& uses);

/// Per register whether a thread may read it before it has written it. All others need no value when their function
/// begins.
std::vector<bool> find_live_at_entry(RegisterUses const& uses);

/// Those that something mentions, by where their lives begin; for allocations that scan a function once.
std::vector<std::uint32_t> order_by_begin(std::vector<LiveInterval> const& intervals);

}  // namespace warpsim::ir
