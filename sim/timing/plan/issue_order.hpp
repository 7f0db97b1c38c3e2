// The order in which instructions issue once their values have registers: cycle by cycle on the pipelines that ptxas sees, by the
// longest path to the end of the block. What is in a register keeps others from being put there until it has been read.
#pragma once

#include "sim/timing/plan/allocate.hpp"
#include "sim/timing/plan/compiler_model.hpp"

namespace warpsim::timing {

/// For each position the instruction that is put there.
std::vector<std::uint32_t> find_issue_order(MachineFunction const& m, Allocation const& allocation,
                                            CompilerModel const& model);

/// The same registers for the values of a function whose instructions have been put in this order.
void reorder(Allocation& allocation, std::vector<std::uint32_t> const& order);

}  // namespace warpsim::timing
