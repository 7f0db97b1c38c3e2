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
    /// For each register the smallest interval, in program order, that covers all points at which it is live. The
    /// sources of an instruction with several destinations live beyond it: it may read them after writing the
    /// first destination.
    std::vector<LiveInterval> intervals;
    /// The most units taken by registers that are live at the same time.
    std::uint32_t most_live = 0;
};

/// `units` says for each register how many 32-bit registers of the hardware hold it: at most 4.
Liveness find_liveness(RegisterUses const& uses, std::vector<std::uint8_t> const& units);
Liveness find_liveness(RegisterUses const& uses);

/// How many 32-bit registers of the hardware hold a value; 0 for predicates, which have a register file of their
/// own.
std::uint8_t units_of(Type type);

/// For each block, in ascending order, the registers whose values are needed at its beginning and at its end.
/// Takes memory for each of them: meant for functions that are executed, not for all of a module.
struct BlockLiveness {
    Lists in, out;
};
BlockLiveness find_block_liveness(RegisterUses const& uses);

/// For each register, whether a thread may read it before writing it. All others need no value when their function
/// begins.
std::vector<bool> find_live_at_entry(RegisterUses const& uses);

/// The registers that something mentions, ordered by the beginning of their live ranges; for allocators that scan
/// a function once.
std::vector<std::uint32_t> order_by_begin(std::vector<LiveInterval> const& intervals);

}  // namespace warpsim::ir
