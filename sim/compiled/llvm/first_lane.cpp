#include "sim/compiled/llvm/first_lane.hpp"

#include "frontend/isa/operands.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace warpsim::sim {

/// What a lane does by itself may be a loop too: it is inside of the one over lanes.
llvm::PreservedAnalyses FirstLanePass::run(llvm::Function& function, llvm::FunctionAnalysisManager& known) {
    auto const& loops = known.getResult<llvm::LoopAnalysis>(function);
    auto& evolution = known.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop const* const loop : loops) {
        llvm::BasicBlock* const latch = loop->getLoopLatch();
        if (latch == nullptr || loop->getExitingBlock() != latch) continue;
        if (evolution.getSmallConstantTripCount(loop) != isa::warp_size) continue;
        auto* const back = llvm::cast<llvm::BranchInst>(latch->getTerminator());
        bool const stays_if_true = back->getSuccessor(0) == loop->getHeader();
        back->setCondition(llvm::ConstantInt::getBool(function.getContext(), !stays_if_true));
    }
    return llvm::PreservedAnalyses::none();
}

}  // namespace warpsim::sim
