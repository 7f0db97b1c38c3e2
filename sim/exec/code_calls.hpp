// What native code calls, and what it takes from a warp and leaves in it.
#pragma once

#include "sim/exec/compiled_code.hpp"

namespace warpsim::sim {

/// The functions that code calls. `observed`: sinks are told of what it does.
void set_calls(CompiledState& state, bool observed);
/// The warp gets what the code has executed since.
void bring_up_to_date(CompiledState& state);
/// What code knows of the warp, and an effect may change while its split goes on.
void look_at_warp(CompiledState& state);

}  // namespace warpsim::sim
