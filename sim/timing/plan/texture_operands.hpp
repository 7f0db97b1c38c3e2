#pragma once

#include "sim/timing/plan/folding.hpp"

namespace warpsim::timing {

/// Whether the handle of the texture or surface that this instruction accesses is named where it is, in the constant bank.
bool names_handle(MachineFunction const& m, std::uint32_t i);

/// tex, of the level that it chooses, is given, or computes from gradients.
bool fetches(ir::Form const& form);

/// Counts what brings operands of textures and surfaces to where these take them, as `extensions`: handles, which are in uniform
/// registers from 9.0 on; the level of detail that leaves none out, for what is filtered; coordinates that stand beside others in
/// several accesses, or twice in one, as all of one are in neighbouring registers. After fold().
void count_texture_operands(MachineFunction& m, Definitions const& d, int capability);

}  // namespace warpsim::timing
