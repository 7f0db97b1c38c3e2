// Columns as native code takes them from a frame and leaves them there: what it does seldom, and would be long.
#pragma once

#include "sim/exec/compiled_code.hpp"

namespace warpsim::sim {

void set_column_calls(CompiledState& state);

}  // namespace warpsim::sim
