// From one warp of a CTA that runs as a whole to the next: where a warp ends or waits, code for all lanes goes on with the
// warp behind it, if that stands where such code can begin. What is around a short warp takes longer than the warp itself.
#include "sim/compiled/llvm/function_emitter.hpp"

#include "sim/exec/warp_ends.hpp"

#include <cstddef>

namespace warpsim::sim {

/// If it is not the last, and where warps end is counted here.
void FunctionEmitter::emit_end(CodeBlock const& block, std::uint32_t index) {
    llvm::BasicBlock* const ends = new_block("ends");
    llvm::BasicBlock* const leave = new_block("leave");
    Value* const warp = running_warp();
    Value* const counted = state_member(offsetof(CompiledState, known_end), b_.getInt32Ty());
    Value* const barriers = state_member(offsetof(CompiledState, has_barriers), b_.getInt32Ty());
    Value* const is_usual =
        b_.CreateAnd(b_.CreateICmpEQ(counted, b_.getInt32(index)), b_.CreateICmpEQ(barriers, b_.getInt32(0)));
    b_.CreateCondBr(b_.CreateAnd(is_not_last(warp), is_usual), ends, leave);
    b_.SetInsertPoint(ends);
    auto const& before = function_.instructions_before;
    Value* const executed = b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), executed_),
                                         b_.getInt64(before[index + 1] - before[block.begin]));
    set_member(warp, offsetof(WholeWarp, executed), executed);
    set_member(warp, offsetof(WholeWarp, place), b_.getInt32(static_cast<std::uint32_t>(WholeWarp::Place::ended)));
    b_.CreateBr(next_warp_);
    b_.SetInsertPoint(leave);
}

/// At a barrier, where what is live is kept: if others wait in this one or in none, and the warp's turn has not ended.
void FunctionEmitter::wait_and_go_on(std::uint32_t index, std::uint32_t barrier, Value* executed) {
    llvm::BasicBlock* const waits = new_block("waits");
    llvm::BasicBlock* const leave = new_block("leave");
    Value* const warp = running_warp();
    Value* const common = state_member(offsetof(CompiledState, common_barrier), b_.getInt32Ty());
    Value* const is_common = b_.CreateOr(b_.CreateICmpEQ(common, b_.getInt32(barrier)),
                                         b_.CreateICmpEQ(common, b_.getInt32(CompiledState::no_barrier)));
    Value* const turn_end = state_member(offsetof(CompiledState, budget_end), b_.getInt64Ty());
    Value* const is_usual = b_.CreateAnd(is_common, b_.CreateICmpULT(executed, turn_end));
    b_.CreateCondBr(b_.CreateAnd(is_not_last(warp), is_usual), waits, leave);
    b_.SetInsertPoint(waits);
    set_state(offsetof(CompiledState, common_barrier), b_.getInt32(barrier));
    set_member(warp, offsetof(WholeWarp, executed), executed);
    set_member(warp, offsetof(WholeWarp, pc), b_.getInt32(index));
    set_member(warp, offsetof(WholeWarp, resume), b_.getInt32(next_entry_));
    set_member(warp, offsetof(WholeWarp, place),
               b_.getInt32(static_cast<std::uint32_t>(WholeWarp::Place::at_barrier)));
    b_.CreateBr(next_warp_);
    b_.SetInsertPoint(leave);
}

/// What CodeRunner::go_on() does.
void FunctionEmitter::emit_next_warp() {
    if (next_warp_ == nullptr) return;
    b_.SetInsertPoint(next_warp_);
    Value* const warp = b_.CreateConstGEP1_64(b_.getInt8Ty(), running_warp(), sizeof(WholeWarp));
    set_state(offsetof(CompiledState, running), warp);
    auto const member = [&](std::size_t offset, llvm::Type* type) {
        return b_.CreateLoad(type, b_.CreateConstGEP1_64(b_.getInt8Ty(), warp, offset));
    };
    auto const take_base = [&](isa::Base which, std::size_t offset) {
        Value* const base = member(offset, b_.getPtrTy());
        b_.CreateStore(base, bases_[static_cast<std::size_t>(which)]);
        set_state(offsetof(CompiledState, bases) + sizeof(std::byte*) * static_cast<std::size_t>(which), base);
    };
    take_base(isa::Base::frame, offsetof(WholeWarp, registers));
    take_base(isa::Base::warp, offsetof(WholeWarp, specials));
    set_state(offsetof(CompiledState, warp), member(offsetof(WholeWarp, warp), b_.getPtrTy()));
    set_state(offsetof(CompiledState, local), member(offsetof(WholeWarp, local), b_.getPtrTy()));
    Value* const executed = member(offsetof(WholeWarp, executed), b_.getInt64Ty());
    b_.CreateStore(executed, executed_);
    Value* const budget = state_member(offsetof(CompiledState, turn_budget), b_.getInt64Ty());
    Value* const turn_end = b_.CreateAdd(executed, budget);
    set_state(offsetof(CompiledState, slice_end), turn_end);
    set_state(offsetof(CompiledState, budget_end), turn_end);
    set_state(offsetof(CompiledState, executed_here), b_.getInt64(0));
    set_state(offsetof(CompiledState, own_changes), b_.getInt64(0));
    set_state(offsetof(CompiledState, has_parted), b_.getInt32(0));
    take_positions();
    if (!waits_) {
        b_.CreateBr(known_begin_);
        return;
    }
    entry_->addIncoming(member(offsetof(WholeWarp, resume), b_.getInt32Ty()), next_warp_);
    b_.CreateBr(choice_->getParent());
}

llvm::Value* FunctionEmitter::running_warp() {
    return state_member(offsetof(CompiledState, running), b_.getPtrTy());
}

llvm::Value* FunctionEmitter::is_not_last(Value* warp) {
    return b_.CreateICmpNE(warp, state_member(offsetof(CompiledState, last_to_run), b_.getPtrTy()));
}

void FunctionEmitter::set_member(Value* object, std::size_t offset, Value* value) {
    b_.CreateStore(value, b_.CreateConstGEP1_64(b_.getInt8Ty(), object, offset));
}

}  // namespace warpsim::sim
