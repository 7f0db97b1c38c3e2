// Makes a function of one lane of a function of 32.
#pragma once

#include <llvm/IR/PassManager.h>

namespace warpsim::sim {

/// Leaves loops over the 32 lanes after their first turn. Only for functions of which nobody sees what they do with other
/// lanes. A loop that is not recognised stays as it is.
struct FirstLanePass : llvm::PassInfoMixin<FirstLanePass> {
    static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& known);
};

}  // namespace warpsim::sim
