// Hardware registers: 32 bits each, wider values in aligned pairs and quads, predicates in a file of their own.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

namespace warpsim::timing {

inline constexpr std::uint16_t no_register = UINT16_MAX;

// Register 1 holds the stack pointer, even if nothing uses it.
inline constexpr std::uint32_t stack_pointer = 1;
// Each thread's own program counter takes two more (Volta and later): ptxas counts 4 for an empty kernel.
inline constexpr std::uint32_t program_counter = 2;
/// Registers of a thread are handed out in units of so many.
inline constexpr std::uint32_t register_unit = 8;

struct Allocation {
    struct Moved {
        std::uint32_t reg;
        ir::ProgramPoint from;
        std::uint16_t place;
    };

    std::vector<std::uint16_t> place;  // per register of the function the first hardware register; no_register
    std::vector<Moved> moved;     // where a register has several places: from each point on another one, in order
    std::uint32_t registers = 0;  // that a thread needs
    std::uint32_t predicates = 0;
    std::uint32_t uniform = 0;    // registers of the uniform datapath, which has its own file
    std::uint32_t most_live = 0;  // 32-bit values at one point

    std::uint16_t at(std::uint32_t reg, ir::ProgramPoint point) const;
};

/// How many a thread needs that uses so many for its values.
std::uint32_t registers_of_thread(MachineFunction const& m, std::uint32_t used);

/// For each block whether it makes values that would not have registers if there were only so many.
std::vector<bool> blocks_beyond(MachineFunction const& m, Allocation const& allocation, std::uint32_t registers);

/// Assigns a register, the lowest possible, to every value that the hardware reads or writes.
Allocation allocate(MachineFunction const& m);
Allocation allocate(MachineFunction const& m, ir::BlockLiveness const& live);

/// What any order of the instructions in their blocks takes at least.
std::uint32_t least_registers(MachineFunction const& m, ir::BlockLiveness const& live);

}  // namespace warpsim::timing
