// Loads and stores of native code whose lanes are anywhere.
#pragma once

#include "sim/exec/compiled_code.hpp"

namespace warpsim::sim {

void set_scattered_call(CompiledState& state);

}  // namespace warpsim::sim
