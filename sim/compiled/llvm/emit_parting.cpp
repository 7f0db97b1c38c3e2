// Lanes that part at a branch and meet again, in code for some lanes: functions of the interpreter change which lanes are where
// (sim/exec/code_divergence.cpp), and if those go on that the code takes to be next, they do so with what is in registers. The
// columns of all other lanes are in the frame, so the code can be left everywhere as usual.
#include "sim/compiled/llvm/function_emitter.hpp"

#include <cstddef>

namespace warpsim::sim {

/// Not where lanes must not part, which is a fault.
bool FunctionEmitter::keeps_parted(std::uint32_t branch) const {
    ir::Instruction const& instruction = function_.function->instructions[function_.ops[branch].instruction];
    return !all_ && !plan_.module->forms[instruction.form].uniform;
}

/// Where the lanes of `taken`, some of the active ones, take the branch, and others do not.
llvm::BasicBlock* FunctionEmitter::part_block(CodeBlock const& block, std::uint32_t index, Value* taken) {
    llvm::IRBuilderBase::InsertPointGuard const guard(b_);
    llvm::BasicBlock* const part = new_block("part");
    b_.SetInsertPoint(part);
    Op const& op = function_.ops[index];
    Value* const active = active_;
    Value* const falls = b_.CreateAnd(active, b_.CreateNot(taken));
    std::uint32_t const first = first_way(op, index);
    bool const falls_first = first == index + 1;
    std::uint32_t const other = falls_first ? op.target : index + 1;
    auto const store = [&](Value* lanes, std::uint32_t where) {
        active_ = lanes;
        store_state(index, flow_.blocks[flow_.block_of[where]].live_in, block.dirty_out, 0);
        active_ = active;
    };
    Value* const first_lanes = falls_first ? falls : taken;
    store(falls_first ? taken : falls, other);
    auto* const type =
        llvm::FunctionType::get(b_.getInt32Ty(), {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty()}, false);
    Value* const exit = b_.CreateCall(type, state_member(offsetof(CompiledState, part), b_.getPtrTy()),
                                      {state_, b_.getInt32(index), taken});
    llvm::BasicBlock* const leave = new_block("leave");
    llvm::BasicBlock* const go_on = new_block("go_on");
    Value* const stays = b_.getInt32(static_cast<std::uint32_t>(CompiledExit::none));
    b_.CreateCondBr(b_.CreateICmpEQ(exit, stays), go_on, leave);
    b_.SetInsertPoint(leave);
    active_ = first_lanes;
    std::vector<std::uint32_t> columns;
    ColumnSet const& live = flow_.blocks[flow_.block_of[first]].live_in;
    for (std::uint32_t column = 0; column < flow_.columns.size(); ++column) {
        if (live.contains(column) && block.dirty_out.contains(column)) columns.push_back(column);
    }
    store_columns(columns);
    active_ = active;
    b_.CreateRet(exit);
    b_.SetInsertPoint(go_on);
    b_.CreateStore(first_lanes, lanes_);
    b_.CreateStore(state_member(offsetof(CompiledState, executed), b_.getInt64Ty()), executed_);
    b_.CreateBr(blocks_[flow_.block_of[first]]);
    return part;
}

/// The active lanes wait at a reconvergence point. Those that go on behind it have their columns from the frame.
void FunctionEmitter::emit_meeting(CodeBlock const& block, std::uint32_t index, llvm::BasicBlock* go_on) {
    store_state(index, block.live_in, block.dirty_in, 0);
    auto* const type = llvm::FunctionType::get(b_.getInt32Ty(), {b_.getPtrTy(), b_.getInt32Ty()}, false);
    Value* const exit = b_.CreateCall(type, state_member(offsetof(CompiledState, meet), b_.getPtrTy()),
                                      {state_, b_.getInt32(index)});
    llvm::BasicBlock* const leave = new_block("leave");
    llvm::BasicBlock* const together = new_block("together");
    Value* const stays = b_.getInt32(static_cast<std::uint32_t>(CompiledExit::none));
    b_.CreateCondBr(b_.CreateICmpEQ(exit, stays), together, leave);
    b_.SetInsertPoint(leave);
    b_.CreateRet(exit);
    b_.SetInsertPoint(together);
    b_.CreateStore(state_member(offsetof(CompiledState, active), b_.getInt32Ty()), lanes_);
    b_.CreateStore(state_member(offsetof(CompiledState, executed), b_.getInt64Ty()), executed_);
    ColumnSet const& live = flow_.blocks[flow_.block_of[block.end]].live_in;
    for (std::uint32_t column = 0; column < flow_.columns.size(); ++column) {
        if (live.contains(column)) load_column(column);
    }
    b_.CreateBr(go_on);
}

}  // namespace warpsim::sim
