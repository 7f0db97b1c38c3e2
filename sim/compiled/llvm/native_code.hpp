// From LLVM IR to code of the host.
#pragma once

#include "frontend/isa/table.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::sim {

/// How well native code is made: quick takes two thirds of the time, and its code up to a sixth longer.
enum class Effort : std::uint8_t { usual, quick };

/// The host, as far as the instruction set goes that is chosen. Its code refers to itself by distances.
std::unique_ptr<llvm::TargetMachine> host_machine(isa::HostIsa host, Effort effort);

/// Functions of modules that are for different hosts, or for none, differ in their attributes.
void set_host(llvm::Function& function, isa::HostIsa host, llvm::TargetMachine const& machine);

/// Wrappers of lane functions, of one module: all lanes at once, and of one lane.
void optimise_vectors(std::vector<llvm::Function*> const& wrappers, llvm::TargetMachine& machine);
void optimise_scalars(std::vector<llvm::Function*> const& wrappers, llvm::TargetMachine& machine);
/// Inlines what is to be inlined, and makes less of the rest. For huge functions what takes much more than twice as long for
/// twice as much is left out, here and below.
void optimise_kernel(llvm::Module& module, llvm::TargetMachine& machine, bool is_huge);

/// An object file.
llvm::SmallString<0> object_of(llvm::Module& module, llvm::TargetMachine& machine, bool is_huge);
std::string assembly_of(llvm::Module& module, llvm::TargetMachine& machine, bool is_huge);

}  // namespace warpsim::sim
