// When the register of a value rests. Memory, transcendental functions, shuffles and textures read their operands some time after they
// have issued, and what overwrites one of these has to wait for that.
#pragma once

#include "sim/timing/plan/values.hpp"

namespace warpsim::timing {

struct Rests {
    Rests(MachineFunction const& m, Values const& values);

    // Per value, in order.
    std::vector<std::vector<ir::LiveInterval>> written;
    std::vector<std::vector<ir::LiveInterval>> rested;  // behind instructions that read it late
    std::vector<bool>
        is_apart;  // one that is not live at the same time could only be in its register if that did not rest
};

}  // namespace warpsim::timing
