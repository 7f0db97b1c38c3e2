// Barriers of CTAs that run as a whole: a warp that comes to one leaves what is live there in its frame, as compactly as
// the code has it, and goes on behind it when the others have come.
#include "sim/compiled/llvm/function_emitter.hpp"

#include "sim/exec/barriers.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace warpsim::sim {

/// For all threads of the CTA, by all lanes, in a barrier that is known and exists: its number.
std::optional<std::uint32_t> FunctionEmitter::plain_barrier(std::uint32_t index) const {
    Op const& op = function_.ops[index];
    if (op.kind != OpKind::effect || op.effect != isa::Effect::barrier || !op.is_primary) return std::nullopt;
    auto const& barrier = function_.details_of<Barrier>(op);
    std::byte const* const id = known_column(barrier.id);
    if (id == nullptr || barrier.has_count || barrier.kind != Barrier::Kind::sync) return std::nullopt;
    if ((op.guard & 3) != static_cast<Slot>(isa::Base::plan) || !is_always_taken(plan_, op)) return std::nullopt;
    std::uint32_t number = 0;
    std::memcpy(&number, id, sizeof number);
    return number < std::tuple_size_v<decltype(Cta::barriers)> ? std::optional(number) : std::nullopt;
}

/// Of a CTA that runs as a whole, leaves the code. Two entries more: one goes on behind the barrier, one makes columns of what
/// was kept.
void FunctionEmitter::emit_wait(CodeBlock const& block, std::uint32_t index, std::uint32_t barrier) {
    llvm::BasicBlock* const wait = new_block("wait");
    llvm::BasicBlock* const alone = new_block("alone");
    Value* const whole = state_member(offsetof(CompiledState, whole), b_.getPtrTy());
    // All lanes of the warp, of which none is expected anywhere else.
    Value* const barriers = state_member(offsetof(CompiledState, has_barriers), b_.getInt32Ty());
    Value* is_whole = b_.CreateAnd(b_.CreateIsNotNull(whole), b_.CreateICmpEQ(barriers, b_.getInt32(0)));
    if (!all_) {
        Value* const lanes = state_member(offsetof(CompiledState, whole_lanes), b_.getInt32Ty());
        is_whole = b_.CreateAnd(is_whole, b_.CreateICmpEQ(active_, lanes));
    }
    b_.CreateCondBr(is_whole, wait, alone);
    b_.SetInsertPoint(wait);
    auto const for_each_live = [&](auto const& each) {
        for (std::uint32_t column = 0; column < flow_.columns.size(); ++column) {
            if (block.live_out.contains(column)) each(column);
        }
    };
    for_each_live([&](std::uint32_t column) { keep(column); });
    auto const& before = function_.instructions_before;
    Value* const executed =
        b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), executed_), b_.getInt64(before[index] - before[block.begin]));
    if (next_warp_ != nullptr) wait_and_go_on(index, barrier, executed);
    set_state(offsetof(CompiledState, pc), b_.getInt32(index));
    set_state(offsetof(CompiledState, executed), executed);
    set_state(offsetof(CompiledState, resume), b_.getInt32(next_entry_));
    set_state(offsetof(CompiledState, barrier), b_.getInt32(barrier));
    b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(CompiledExit::barrier)));

    LaneShapeList const shapes = now_;
    llvm::BasicBlock* const resume = new_block("resume");
    choice_->addCase(b_.getInt32(next_entry_++), resume);
    b_.SetInsertPoint(resume);
    for_each_live([&](std::uint32_t column) { take_kept(column); });
    go_on_in(flow_.block_of[block.end]);
    b_.CreateBr(blocks_[flow_.block_of[block.end]]);

    now_ = shapes;
    llvm::BasicBlock* const spread = new_block("spread");
    choice_->addCase(b_.getInt32(next_entry_++), spread);
    b_.SetInsertPoint(spread);
    std::vector<std::uint64_t> kept;
    for_each_live([&](std::uint32_t column) {
        LaneOperand const& operand = flow_.columns[column];
        if (now_[column] != LaneShape::any && !operand.is_predicate())
            kept.push_back(described(operand, now_[column]));
    });
    expand(kept);
    b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(CompiledExit::at_op)));

    now_ = shapes;
    b_.SetInsertPoint(alone);
}

}  // namespace warpsim::sim
