#pragma once

#include "frontend/ir/module.hpp"

namespace warpsim::timing {

/// A block that writes a register several times, as those do that pass through inline assembly, holds several values in it: each that is
/// read nowhere but there, before the next is written, gets a register of its own, so that passes can fold it. What one operation does to
/// a register again and again stays in it. Instructions keep their numbers.
void name_single_values(ir::Module const& module, ir::Function& function);

}  // namespace warpsim::timing
