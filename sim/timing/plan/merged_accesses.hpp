// Neighbouring accesses to shared memory, and loads of constants, become one of 8 or 16 bytes, as a compiler makes them.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

/// Merges plain loads, and plain stores, of a block whose addresses differ by constants and are known to be aligned. Those
/// that are merged into another (`MachineInstruction::is_merged`) are placed immediately before it, in both `m` and
/// `function`; returned is the instruction that was at each position.
std::vector<std::uint32_t> merge_accesses(MachineFunction& m, ir::Function& function);

}  // namespace warpsim::timing
