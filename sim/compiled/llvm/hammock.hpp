// Hammocks: what lanes that take different ways at a branch execute until they meet again, where that is short, goes only
// forward and is all compiled. Native code executes the two ways one after the other, without leaving. Knows no LLVM.
#pragma once

#include "sim/compiled/flow.hpp"

#include <cstdint>
#include <optional>

namespace warpsim::sim {

/// All ways from one op to another, each op as often as it is on one.
struct Ways {
    std::uint32_t ops = 0, instructions = 0;
    ColumnSet written;
};

/// None: they leave native code, go back, or are too long.
std::optional<Ways> find_ways(KernelPlan const& plan, FunctionPlan const& function, CodeFlow const& flow,
                              std::uint32_t from, std::uint32_t to);

/// Where the branch is the beginning of a hammock: both of its ways, to its reconvergence point.
struct Hammock {
    Ways fall, taken;
};
std::optional<Hammock> find_hammock(KernelPlan const& plan, FunctionPlan const& function, CodeFlow const& flow,
                                    std::uint32_t branch);

/// Whether a branch whose guard is no register is taken.
bool is_always_taken(KernelPlan const& plan, Op const& op);

}  // namespace warpsim::sim
