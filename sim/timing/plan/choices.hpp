#pragma once

#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// Of two values of which one is chosen (selp), one is computed only where it is chosen, in the register of the other: the choice costs
/// nothing then (`MachineInstruction::chosen`). So it is where nothing else reads the one, nothing reads the other behind the choice, and
/// neither is a constant. After fold().
void make_choices(MachineFunction& m, Definitions const& d);

}  // namespace warpsim::timing
