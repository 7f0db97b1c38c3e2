// Native code of a kernel's functions, made of its functional plan. The only room that knows LLVM; without it there is
// no code, and everything is interpreted.
#pragma once

#include "sim/exec/compiled_code.hpp"

#include <memory>
#include <string>

namespace warpsim::sim {

/// "LLVM 16.0.6"; empty in a build without it.
std::string compiler_version();

struct Compilation {
    std::shared_ptr<CompiledKernel const> kernel;  // null: nothing was compiled
    std::string note;                              // how much was compiled, and why not all
};

/// Compiles the functions of a plan that was made for `host`. Never fails: what cannot be compiled is interpreted.
Compilation compile_kernel(KernelPlan const& plan, isa::HostIsa host);

/// The code of all functions as LLVM IR and as assembly of the host.
std::string print_code(KernelPlan const& plan, isa::HostIsa host);

}  // namespace warpsim::sim
