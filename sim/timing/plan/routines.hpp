// What ptxas puts behind a kernel, once for all that use it: how a warp divides integers of 64 bits, and what it does for operands
// that the usual path of an exact division or root cannot take.
#pragma once

#include "frontend/isa/operands.hpp"
#include "sim/timing/plan/machine_function.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpsim::timing {

/// Why a lane needs the routine: its operands are zero, infinite or no numbers, so that it ends early; or it computes with others.
struct RareLanes {
    isa::LaneMask special = 0, scaled = 0;
    isa::LaneMask all() const { return special | scaled; }
};

struct Routine {
    isa::Operation operation;
    isa::Type type;
    bool ftz;
    std::uint16_t instructions;  // in memory
    // Around its call, beside the usual path: where there is one call the operands lie where the routine wants them.
    std::uint8_t only_call, each_call;
    // Micro-ops of a warp that calls it, with those around the call, in letters of append(); empty: every warp does, as part of its
    // usual path.
    std::string_view special, scaled;
    RareLanes (*lanes)(isa::Bases, isa::Operands const&);
};

/// None: null.
Routine const* routine_of(ir::Form const& form);
/// The number of those that there are, and one of them.
std::uint8_t number_of(Routine const& routine);
Routine const& routine(std::uint8_t number);

/// Where in memory the code of each instruction begins, and behind the last one where the function ends: counted in
/// instructions, with calls for rare operands, and behind all others the routines and loops of waits.
std::vector<std::uint32_t> code_places(MachineFunction const& m);

}  // namespace warpsim::timing
