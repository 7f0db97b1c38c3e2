// From LLVM IR to code of the host.
#pragma once

#include "frontend/isa/table.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <memory>
#include <string>

namespace warpsim::sim {

/// How well native code is made: quick takes two thirds of the time, and its code up to a sixth longer.
enum class Effort : std::uint8_t { usual, quick };

/// The host, as far as the instruction set goes that is chosen. Its code refers to itself by distances.
std::unique_ptr<llvm::TargetMachine> host_machine(isa::HostIsa host, Effort effort);

/// Inlines and vectorises the lane functions, then what is left.
void optimise_lanes(llvm::Module& module, llvm::TargetMachine& machine);
void optimise_functions(llvm::Module& module, llvm::TargetMachine& machine);

/// An object file.
llvm::SmallString<0> object_of(llvm::Module& module, llvm::TargetMachine& machine);
std::string assembly_of(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace warpsim::sim
