// Where all lanes change one place, the compiler lets one lane do it for all.
#pragma once

#include "sim/timing/plan/one_lane.hpp"

#include <string_view>

namespace warpsim::timing {

struct Gathering {
    std::string_view before, behind;  // micro-ops around the atomic, in letters of append()
    std::uint8_t least_lanes;         // that are active where it happens; the lanes of other warps come one by one
    std::uint8_t found_out = 0;       // micro-ops of those warps, with the atomic; 0: as many as of all
};

/// Names numbers in atomics, where the PTX brings them into registers first, as it does for atomics of the C++ library.
void name_numbers_of_atomics(ir::Module const& module, ir::Function& function);

/// Marks such atomics (`MachineInstruction::gathering`). For the hardware of this compute capability (90 for 9.0).
void gather_atomics(MachineFunction& m, Divergence const& divergence, ir::DominatorTree const& dominators,
                    int capability);

/// Number 0 adds nothing.
Gathering const& gathering(std::uint8_t number);

}  // namespace warpsim::timing
