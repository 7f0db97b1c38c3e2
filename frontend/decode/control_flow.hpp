// Control-flow graph, reconvergence points, liveness and the sharing of register columns of one decoded function.
#pragma once

#include "frontend/ir/module.hpp"

namespace warpsim::frontend {

/// Fills `blocks` (with their reconvergence block) and `block_of` from the instructions.
void build_control_flow(ir::Module const& module, ir::Function& function);

/// Fills `layout`: a linear scan over live ranges, columns shared among registers of one width only, because lanes
/// on different paths write the same column under their own masks.
void allocate_registers(ir::Module const& module, ir::Function& function);

/// A layout that gives every register its own column (`--no-register-sharing`); `pressure` is kept.
ir::RegisterLayout unshared_layout(ir::Function const& function);

}  // namespace warpsim::frontend
