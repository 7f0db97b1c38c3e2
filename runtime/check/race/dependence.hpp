// Whether what a thread stores depends on memory.
#pragma once

#include "frontend/ir/module.hpp"

namespace warpsim::check {

/// Whether the value that a store writes is computed from what the thread has read in memory or has got from others; else it is
/// made of constants, arguments and the thread's place alone. Judged by the text of the function.
bool depends_on_memory(ir::Module const& module, ir::Function const& function, ir::Instruction const& store);

}  // namespace warpsim::check
