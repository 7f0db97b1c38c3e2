// Which micro-ops a PTX instruction becomes, by itself.
#pragma once

#include "frontend/ir/module.hpp"
#include "frontend/isa/row.hpp"
#include "sim/config/config.hpp"
#include "sim/timing/plan/machine_function.hpp"

#include <vector>

namespace warpsim::timing {

/// Asynchronous copies, mbarriers, the barrier of a cluster: what goes on beside the warp, or reaches other CTAs.
bool goes_on_beside(isa::Effect effect);

/// Appends the micro-ops of the instruction. Nothing for what needs no instruction of the hardware: kernel
/// parameters (operands of their readers), cvta, what is fixed at the launch.
void expand(ir::Module const& module, ir::Function const& function, ir::Instruction const& instruction,
            sim::Config const& config, std::vector<MicroOp>& out);

/// The same for what the instruction has become in cleaning up.
void expand_machine(MachineFunction const& m, std::uint32_t i, sim::Config const& config,
                    std::vector<MicroOp>& out);

}  // namespace warpsim::timing
