// Hardware registers: 32 bits each, wider values in aligned pairs and quads, predicates in a file of their own.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

namespace warpsim::timing {

inline constexpr std::uint16_t no_register = UINT16_MAX;

struct Allocation {
    std::vector<std::uint16_t> place;  // per register of the function the first hardware register; no_register
    std::uint32_t registers = 0;       // that a thread needs
    std::uint32_t predicates = 0;
    std::uint32_t uniform = 0;    // registers of the uniform datapath, which has its own file
    std::uint32_t most_live = 0;  // 32-bit values at one point
};

/// For each block whether it makes values that would not have registers if there were only so many.
std::vector<bool> blocks_beyond(MachineFunction const& m, Allocation const& allocation, std::uint32_t registers);

/// Assigns a register, the lowest possible, to every value that the hardware reads or writes.
Allocation allocate(MachineFunction const& m);
Allocation allocate(MachineFunction const& m, ir::BlockLiveness const& live);

/// What any order of the instructions in their blocks takes at least.
std::uint32_t least_registers(MachineFunction const& m, ir::BlockLiveness const& live);

}  // namespace warpsim::timing
