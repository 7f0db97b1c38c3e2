// Whether what a thread stores depends on memory.
#pragma once

#include "frontend/ir/module.hpp"

namespace warpsim::check {

/// Whether the value that a store writes is computed from what the thread has read in memory or has got from others; else it is
/// made of constants, arguments and the thread's place alone. Judged by the text of the function.
bool depends_on_memory(ir::Module const& module, ir::Function const& function, ir::Instruction const& store);
/// Whether a loop around the load goes on or ends by what it loads, as one does that waits for a value. Judged so, too; the load is
/// given by its index.
bool decides_its_loop(ir::Module const& module, ir::Function const& function, std::uint32_t load);

}  // namespace warpsim::check
