#include "sim/compiled/llvm/function_emitter.hpp"

#include "sim/exec/warp_ends.hpp"

#include <cstddef>
#include <llvm/IR/MDBuilder.h>

namespace warpsim::sim {

namespace {

constexpr bool is_in_frame(Slot slot) { return (slot & 3) == static_cast<Slot>(isa::Base::frame); }

}  // namespace

llvm::Function* FunctionEmitter::emit(std::string const& name, bool all, CompiledFunction& compiled) {
    all_ = all;
    if (all) shapes_ = std::make_unique<LaneShapes>(plan_, function_, flow_);
    else shapes_.reset();
    begin(name);
    for (CodeBlock const& block : flow_.blocks)
        blocks_.push_back(new_block(block.is_compiled ? "block" : "leave"));
    emit_entries(compiled);
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
        CodeBlock const& block = flow_.blocks[i];
        begin_block(static_cast<std::uint32_t>(i));
        if (block.is_compiled) emit_block(block);
        else emit_leaving(block);
    }
    emit_next_warp();
    compiled.edges = edges_;
    return llvm_function_;
}

/// Of a block that is not compiled.
void FunctionEmitter::emit_leaving(CodeBlock const& block) {
    if (next_warp_ != nullptr && ends_all(plan_, function_.ops[block.begin])) emit_end(block, block.begin);
    b_.CreateBr(exit_block(block.begin, CompiledExit::at_op, block.live_in, block.dirty_in));
}

void FunctionEmitter::begin_block(std::uint32_t block) {
    b_.SetInsertPoint(blocks_[block]);
    now_ = shapes_at(block);
    if (!all_) active_ = b_.CreateLoad(b_.getInt32Ty(), lanes_);
}

LaneShapeList FunctionEmitter::shapes_at(std::uint32_t block) const {
    return shapes_ ? shapes_->at_begin(block) : LaneShapeList(flow_.columns.size(), LaneShape::any);
}

void FunctionEmitter::begin(std::string const& name) {
    edges_.clear();
    blocks_.clear();
    counted_ = nowhere_ = scattered_ = nullptr;
    merged_ = nullptr;
    merged_bytes_ = 0;
    auto* const type = llvm::FunctionType::get(b_.getInt32Ty(), {b_.getPtrTy(), b_.getInt32Ty()}, false);
    llvm_function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
    llvm_function_->addFnAttr(llvm::Attribute::NoUnwind);
    llvm_function_->addParamAttr(0, llvm::Attribute::NoAlias);
    state_ = llvm_function_->getArg(0);
    b_.SetInsertPoint(new_block("begin"));
    for (std::size_t i = 0; i < 4; ++i) {
        Value* const base = state_member(offsetof(CompiledState, bases) + 8 * i, b_.getPtrTy());
        bool const changes =
            i == static_cast<std::size_t>(isa::Base::frame) || i == static_cast<std::size_t>(isa::Base::warp);
        bases_[i] = changes ? nullptr : base;
        if (changes) b_.CreateStore(base, place(bases_[i], b_.getPtrTy()));
    }
    next_warp_ = nullptr;
    waits_ = false;
    // Of the kernel's own function, in which warps begin and end.
    if (all_ && &function_ == &plan_.functions.front()) {
        next_warp_ = new_block("next_warp");
        for (std::uint32_t i = 0; i < function_.ops.size(); ++i) waits_ = waits_ || plain_barrier(i);
    }
    active_ = all_ ? b_.getInt32(isa::all_lanes) : state_member(offsetof(CompiledState, active), b_.getInt32Ty());
    lanes_ = nullptr;
    if (!all_) b_.CreateStore(active_, place(lanes_, b_.getInt32Ty()));
    executed_ = b_.CreateAlloca(b_.getInt64Ty());
    b_.CreateStore(state_member(offsetof(CompiledState, executed), b_.getInt64Ty()), executed_);
    columns_.assign(flow_.columns.size(), {});
}

void FunctionEmitter::emit_block(CodeBlock const& block) {
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
        switch (function_.ops[i].kind) {
            case OpKind::branch: return emit_branch(block, i);
            case OpKind::converge: emit_converge(block, i); break;
            default: emit_op(&block, i);
        }
    }
    std::uint32_t const instructions =
        function_.instructions_before[block.end] - function_.instructions_before[block.begin];
    if (instructions != 0) count_to_memory(executed_, b_.getInt64(instructions));
    go_on_in(flow_.block_of[block.end]);
    b_.CreateBr(blocks_[flow_.block_of[block.end]]);
}

/// Gives what is live in the block the shape that it has there.
void FunctionEmitter::go_on_in(std::uint32_t block) {
    LaneShapeList const shapes = shapes_at(block);
    for (std::uint32_t column = 0; column < flow_.columns.size(); ++column) {
        if (flow_.blocks[block].live_in.contains(column) && now_[column] != shapes[column])
            change_shape(column, shapes[column]);
    }
}

/// `block`: where the op can be left to the interpreter; null: in a hammock, which is not left.
void FunctionEmitter::emit_op(CodeBlock const* block, std::uint32_t index) {
    Op const& op = function_.ops[index];
    bool const is_guarded = is_in_frame(op.guard);
    switch (op.kind) {
        case OpKind::lanes:
        case OpKind::lanes_guarded:
        case OpKind::load:
        case OpKind::store:
        case OpKind::atomic:
        case OpKind::effect:
        case OpKind::nothing:
        case OpKind::report: {
            Value* mask = active_;
            if (is_guarded) {
                mask = guard_mask(op);
                count_guarded_off(index, b_.CreateAnd(active_, b_.CreateNot(mask)));
            }
            bool const is_access =
                op.kind == OpKind::load || op.kind == OpKind::store || op.kind == OpKind::atomic;
            if (is_access) emit_access(index, mask, is_guarded);
            else if (op.kind == OpKind::effect) emit_effect(*block, index, mask, is_guarded);
            else if (op.kind != OpKind::nothing && op.kind != OpKind::report)
                emit_lanes(block, index, mask, is_guarded);
            return;
        }
        default: return;
    }
}

// ---- control flow --------------------------------------------------------------------------------------------

void FunctionEmitter::emit_branch(CodeBlock const& block, std::uint32_t index) {
    Op const& op = function_.ops[index];
    auto const& before = function_.instructions_before;
    if (std::uint32_t const count = before[index] - before[block.begin]; count != 0)
        count_to_memory(executed_, b_.getInt64(count));
    if (!is_in_frame(op.guard)) {
        // A guard that is always true or false.
        bool const is_taken = is_always_taken(plan_, op);
        return take_edge(index, is_taken ? op.target : index + 1, is_taken, false, block);
    }
    llvm::BasicBlock* const taken = new_block("taken");
    llvm::BasicBlock* const passed = new_block("passed");
    LaneShapeList const shapes = now_;
    if (LaneOperand const guard{op.guard, 0}; shape(guard) == LaneShape::uniform) {
        Value* const is_taken = read_first(guard);
        b_.CreateCondBr(op.guard_negated ? b_.CreateNot(is_taken) : is_taken, taken, passed);
    } else {
        Value* const mask = guard_mask(op);
        llvm::BasicBlock* const others = new_block("others");
        ColumnSet live = block.live_out;
        live.insert(flow_.column(guard));
        b_.CreateCondBr(b_.CreateICmpEQ(mask, active_), taken, others);
        b_.SetInsertPoint(others);
        llvm::BasicBlock* const leave = keeps_parted(index)
                                            ? part_block(block, index, mask)
                                            : exit_block(index, CompiledExit::at_op, live, block.dirty_out);
        auto const hammock = find_hammock(plan_, function_, flow_, index);
        llvm::BasicBlock* const apart = hammock ? new_block("apart") : leave;
        b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(0)), passed, apart);
        b_.SetInsertPoint(apart);
        if (hammock) emit_hammock(*hammock, index, mask, leave);
    }
    now_ = shapes;
    b_.SetInsertPoint(taken);
    take_edge(index, op.target, true, true, block);
    now_ = shapes;
    b_.SetInsertPoint(passed);
    take_edge(index, index + 1, false, true, block);
}

void FunctionEmitter::take_edge(std::uint32_t branch, std::uint32_t to, bool is_taken, bool is_guarded,
                                CodeBlock const& block) {
    auto const& before = function_.instructions_before;
    if (before[branch + 1] != before[branch]) count_to_memory(executed_, b_.getInt64(1));
    if (is_taken || is_guarded) {
        Value* const counter = b_.CreateConstGEP1_64(
            b_.getInt64Ty(), state_member(offsetof(CompiledState, edges), b_.getPtrTy()), edges_.size());
        count_to_memory(counter, b_.getInt64(1));
        edges_.push_back({branch, to, is_taken, is_guarded});
    }
    CodeBlock const& next = flow_.blocks[flow_.block_of[to]];
    llvm::BasicBlock* const target = blocks_[flow_.block_of[to]];
    go_on_in(flow_.block_of[to]);
    if (!is_taken || to > branch) {
        b_.CreateBr(target);
        return;
    }
    Value* const end = state_member(offsetof(CompiledState, slice_end), b_.getInt64Ty());
    Value* const goes_on = b_.CreateICmpULT(b_.CreateLoad(b_.getInt64Ty(), executed_), end);
    b_.CreateCondBr(goes_on, target, exit_block(to, CompiledExit::suspended, next.live_in, block.dirty_out));
}

void FunctionEmitter::emit_converge(CodeBlock const& block, std::uint32_t index) {
    llvm::BasicBlock* const look = new_block("look");
    llvm::BasicBlock* const go_on = new_block("go_on");
    Value* const barriers = state_member(offsetof(CompiledState, has_barriers), b_.getInt32Ty());
    b_.CreateCondBr(b_.CreateICmpNE(barriers, b_.getInt32(0)), look, go_on, rarely());
    b_.SetInsertPoint(look);
    auto* const type = llvm::FunctionType::get(b_.getInt1Ty(), {b_.getPtrTy(), b_.getInt32Ty()}, false);
    auto* const waits = b_.CreateCall(type, state_member(offsetof(CompiledState, waits), b_.getPtrTy()),
                                      {state_, b_.getInt32(index)});
    waits->addRetAttr(llvm::Attribute::ZExt);
    if (all_) {
        b_.CreateCondBr(waits, exit_block(index, CompiledExit::at_op, block.live_in, block.dirty_in), go_on);
    } else {
        llvm::BasicBlock* const meet = new_block("meet");
        b_.CreateCondBr(waits, meet, go_on);
        b_.SetInsertPoint(meet);
        emit_meeting(block, index, go_on);
    }
    b_.SetInsertPoint(go_on);
}

llvm::BasicBlock* FunctionEmitter::exit_block(std::uint32_t op, CompiledExit how, ColumnSet const& live,
                                              ColumnSet const& dirty) {
    llvm::IRBuilderBase::InsertPointGuard const guard(b_);
    llvm::BasicBlock* const block = new_block("exit");
    b_.SetInsertPoint(block);
    store_state(op, live, dirty, 0);
    b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(how)));
    return block;
}

/// `executed`: instructions that have not been counted yet.
void FunctionEmitter::store_state(std::uint32_t op, ColumnSet const& live, ColumnSet const& dirty,
                                  std::uint32_t executed) {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t column = 0; column < flow_.columns.size(); ++column) {
        if (live.contains(column) && dirty.contains(column)) columns.push_back(column);
    }
    store_columns(columns);
    set_state(offsetof(CompiledState, pc), b_.getInt32(op));
    Value* const count = b_.CreateLoad(b_.getInt64Ty(), executed_);
    set_state(offsetof(CompiledState, executed), b_.CreateAdd(count, b_.getInt64(executed)));
}

/// Leaves an op in the middle of a block to the interpreter.
llvm::BasicBlock* FunctionEmitter::exit_before(CodeBlock const& block, std::uint32_t index) {
    llvm::IRBuilderBase::InsertPointGuard const guard(b_);
    llvm::BasicBlock* const exit = new_block("exit");
    b_.SetInsertPoint(exit);
    hand_over(block, index);
    b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(CompiledExit::at_op)));
    return exit;
}

/// Puts everything where the interpreter expects it before an op of the block.
void FunctionEmitter::hand_over(CodeBlock const& block, std::uint32_t index) {
    ColumnSet live = block.live_out, dirty = block.dirty_in;
    for (std::uint32_t i = block.end; i-- > index;) live = flow_.live_before(i, std::move(live));
    for (std::uint32_t i = block.begin; i < index; ++i) {
        for (std::uint32_t const column : flow_.ops[i].writes) dirty.insert(column);
    }
    auto const& before = function_.instructions_before;
    store_state(index, live, dirty, before[index] - before[block.begin]);
}

/// An effect is the interpreter's; the code goes on behind it, unless the split does not.
void FunctionEmitter::emit_effect(CodeBlock const& block, std::uint32_t index, Value* mask, bool is_guarded) {
    if (emit_collective(index, mask)) return;
    llvm::BasicBlock* const done = new_block("done");
    for (std::uint32_t const column : flow_.ops[index].writes) change_shape(column, LaneShape::any);
    if (is_guarded) {
        llvm::BasicBlock* const some = new_block("some");
        b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(0)), done, some);
        b_.SetInsertPoint(some);
    }
    if (auto const barrier = plain_barrier(index)) emit_wait(block, index, *barrier);
    hand_over(block, index);
    auto* const type =
        llvm::FunctionType::get(b_.getInt32Ty(), {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty()}, false);
    Value* const exit = b_.CreateCall(type, state_member(offsetof(CompiledState, effect), b_.getPtrTy()),
                                      {state_, b_.getInt32(index), mask});
    llvm::BasicBlock* const leave = new_block("leave");
    llvm::BasicBlock* const performed = new_block("performed");
    Value* const stays = b_.getInt32(static_cast<std::uint32_t>(CompiledExit::none));
    b_.CreateCondBr(b_.CreateICmpEQ(exit, stays), performed, leave);
    b_.SetInsertPoint(leave);
    b_.CreateRet(exit);
    b_.SetInsertPoint(performed);
    for (std::uint32_t const column : flow_.ops[index].writes) load_column(column);
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
}

// ---- state ---------------------------------------------------------------------------------------------------

llvm::Value* FunctionEmitter::state_member(std::size_t offset, llvm::Type* type) {
    return b_.CreateLoad(type, b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, offset));
}
void FunctionEmitter::set_state(std::size_t offset, Value* value) {
    b_.CreateStore(value, b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, offset));
}
llvm::MDNode* FunctionEmitter::rarely() {
    return llvm::MDBuilder(module_.getContext()).createBranchWeights(1, 1000);
}
/// Lanes that the guard of the op switches off.
void FunctionEmitter::count_guarded_off(std::uint32_t index, Value* lanes) {
    Value* const count = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, lanes);
    Value* const counters = state_member(offsetof(CompiledState, guarded_off), b_.getPtrTy());
    count_to_memory(b_.CreateConstGEP1_64(b_.getInt64Ty(), counters, index),
                    b_.CreateZExt(count, b_.getInt64Ty()));
}
void FunctionEmitter::count_to_memory(Value* address, Value* add) {
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), address), add), address);
}

}  // namespace warpsim::sim
