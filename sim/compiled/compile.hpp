// Native code of a kernel's functions, made of its functional plan. The only room that knows LLVM; without it there is
// no code, and everything is interpreted.
#pragma once

#include "sim/compiled/code_image.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warpsim::sim {

/// "LLVM 16.0.6"; empty in a build without it.
std::string compiler_version();

/// Changes with whatever decides what plans are and how they are compiled.
std::string_view code_stamp();

/// Of what a host makes different code of the same plan: the instruction set, and the processor where that is not enough.
std::string host_name(isa::HostIsa host);

struct Compilation {
    std::optional<CodeImage> image;  // none: nothing was compiled
    std::string note;                // how much was compiled, and why not all
};

/// Compiles the functions of a plan that was made for the target's host. Never fails: what cannot be compiled is interpreted.
/// `between_passes` is called now and then, where the compiler could be stopped for ever.
Compilation compile_kernel(KernelPlan const& plan, CodeTarget const& target, CodeLanes lanes,
                           std::function<void()> const& between_passes = {});

/// The code of all functions as LLVM IR and as assembly of the host.
std::string print_code(KernelPlan const& plan, CodeTarget const& target);

}  // namespace warpsim::sim
