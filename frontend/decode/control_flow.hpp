// Control-flow graph, reconvergence points and register columns of one decoded function.
#pragma once

#include "frontend/ir/module.hpp"

namespace warpsim::frontend {

/// Fills `blocks` (with their reconvergence blocks) and `block_of` from the instructions.
void build_control_flow(ir::Module const& module, ir::Function& function);

/// Fills `layout` with columns that registers share. Needs the blocks.
void lay_out_registers(ir::Module const& module, ir::Function& function);

}  // namespace warpsim::frontend
