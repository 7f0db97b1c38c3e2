// IR as text, for people: close to PTX, with the results of decoding as comments.
#pragma once

#include "frontend/ir/module.hpp"

#include <string>

namespace warpsim::ir {

/// One instruction as PTX writes it, with resolved names and without its location.
std::string print(Module const& module, Function const& function, Instruction const& instruction);

/// The function in program order: its parameters and registers, its blocks with successors and reconvergence
/// points, and its instructions with their locations in the PTX and, through `.loc`, in the original program.
std::string print(Module const& module, Function const& function);

/// The control-flow graph for Graphviz; a dashed edge leads to the reconvergence point of a block that branches.
std::string print_cfg_dot(Module const& module, Function const& function);

}  // namespace warpsim::ir
