// Registers for a kernel that may take more than its values need at once. Registers are handed out in units, and a full SM has
// some for every thread, so that a compiler can use others and avoid what would delay its instructions.
#pragma once

#include "sim/timing/plan/allocate.hpp"

namespace warpsim::timing {

/// Other registers for the same values, as many as `target` and no more than are handed out with those that they take: so that
/// operands of one instruction are in different banks, and registers that are read late are not overwritten soon.
void spread(MachineFunction const& m, Allocation& allocation, std::vector<std::uint32_t> const& order,
            std::uint32_t target, std::uint32_t limit, int capability);

}  // namespace warpsim::timing
