// The lane functions that kernels have called so far, made into a few operations on vectors once for the process.
#pragma once

#include "sim/compiled/llvm/lane_library.hpp"

#include <llvm/Target/TargetMachine.h>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::sim {

/// For one instruction set of the host. Kernels are compiled in its context, one at a time.
class ReadyLanes {
public:
    explicit ReadyLanes(isa::HostIsa host);

    llvm::LLVMContext& context() { return context_; }
    bool has(LaneCall const& call) const { return library_.find(call.origin) != nullptr; }
    /// Functions of the kernel's module without a body so far; what they take: LaneLibrary::make_wrapper().
    llvm::Function* wrapper(llvm::Module& kernel, LaneCall const& call);
    llvm::Function* scalar(llvm::Module& kernel, LaneCall const& call);
    /// Gives them their bodies, which are to be inlined.
    void link(llvm::Module& kernel);

private:
    using Takes = LaneLibrary::Takes;
    llvm::Function* declared(llvm::Module& kernel, LaneCall const& call, Takes takes);
    void finish();

    isa::HostIsa const host_;
    llvm::LLVMContext context_;
    LaneLibrary library_{context_};
    std::unique_ptr<llvm::TargetMachine> machine_;
    std::vector<llvm::Function*> fresh_[2];  // by Takes: wrappers that only call their lane function
};

}  // namespace warpsim::sim
