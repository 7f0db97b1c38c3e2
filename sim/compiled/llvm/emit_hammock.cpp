// Lanes that part at a branch and soon meet again: one way after the other, each with the values that there were at the
// branch, as the interpreter does it where nothing comes in between. Where they meet, each lane has what its way left.
#include "sim/compiled/llvm/function_emitter.hpp"

#include <cstddef>
#include <utility>

namespace warpsim::sim {

/// The lanes of `taken`, which are some of the active ones, take the branch. Leaves the code where the warp split's turn
/// could end meanwhile, or where other lanes are expected at the same reconvergence point.
void FunctionEmitter::emit_hammock(Hammock const& hammock, std::uint32_t branch, Value* taken,
                                   llvm::BasicBlock* leave) {
    llvm::Type* const i64 = b_.getInt64Ty();
    auto const& before = function_.instructions_before;
    std::uint32_t const own = before[branch + 1] - before[branch];
    std::uint32_t const meet = function_.ops[branch].reconverge;
    llvm::BasicBlock* const look = new_block("look");
    llvm::BasicBlock* const alone = new_block("alone");
    llvm::BasicBlock* const part = new_block("part");
    Value* const executed = b_.CreateLoad(i64, executed_);
    Value* const after =
        b_.CreateAdd(executed, b_.getInt64(own + hammock.fall.instructions + hammock.taken.instructions));
    Value* const budget_end = state_member(offsetof(CompiledState, budget_end), i64);
    b_.CreateCondBr(b_.CreateICmpULT(after, budget_end), alone, leave);
    b_.SetInsertPoint(alone);
    Value* const barriers = state_member(offsetof(CompiledState, has_barriers), b_.getInt32Ty());
    b_.CreateCondBr(b_.CreateICmpEQ(barriers, b_.getInt32(0)), part, look);
    b_.SetInsertPoint(look);
    auto* const type = llvm::FunctionType::get(b_.getInt1Ty(), {b_.getPtrTy(), b_.getInt32Ty()}, false);
    auto* const others = b_.CreateCall(type, state_member(offsetof(CompiledState, is_awaited), b_.getPtrTy()),
                                       {state_, b_.getInt32(branch)});
    others->addRetAttr(llvm::Attribute::ZExt);
    b_.CreateCondBr(others, leave, part);

    b_.SetInsertPoint(part);
    if (own != 0) count_to_memory(executed_, b_.getInt64(own));
    Value* const active = active_;
    bool const all = std::exchange(all_, false);
    count_ops(meet + 1, branch + 1);  // the split goes on there
    part_at(branch, taken);
    all_ = all;
    active_ = active;
    set_state(offsetof(CompiledState, has_parted), b_.getInt32(1));
    // What remains of the turn, as Divergence::shorten_slice() has it.
    Value* const slice = b_.CreateBinaryIntrinsic(llvm::Intrinsic::uadd_sat, b_.CreateLoad(i64, executed_),
                                                  state_member(offsetof(CompiledState, longest_slice), i64));
    set_state(offsetof(CompiledState, slice_end),
              b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, budget_end, slice));
    go_on_in(flow_.block_of[meet + 1]);
    b_.CreateBr(blocks_[flow_.block_of[meet + 1]]);
}

/// Straight-line ops that the active lanes have executed. From a later to an earlier op: they are not executed.
void FunctionEmitter::count_ops(std::uint32_t from, std::uint32_t to) {
    auto* const pair = llvm::FixedVectorType::get(b_.getInt64Ty(), 2);
    Value* const lanes = b_.CreateZExt(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, active_), b_.getInt64Ty());
    Value* execution = b_.CreateInsertElement(llvm::PoisonValue::get(pair), b_.getInt64(1), std::uint64_t{0});
    execution = b_.CreateInsertElement(execution, lanes, std::uint64_t{1});
    Value* const deltas = state_member(offsetof(CompiledState, deltas), b_.getPtrTy());
    auto const change = [&](std::uint32_t op, bool begins) {
        Value* const at = b_.CreateConstGEP1_64(pair, deltas, op);
        Value* const old = b_.CreateAlignedLoad(pair, at, llvm::Align(8));
        b_.CreateAlignedStore(begins ? b_.CreateAdd(old, execution) : b_.CreateSub(old, execution), at,
                              llvm::Align(8));
    };
    change(from, true);
    change(to, false);
    if (from > to) return;
    auto const& before = function_.instructions_before;
    if (before[to] != before[from]) count_to_memory(executed_, b_.getInt64(before[to] - before[from]));
}

/// Executes both ways from a branch to its reconvergence point.
void FunctionEmitter::part_at(std::uint32_t branch, Value* taken) {
    Op const& op = function_.ops[branch];
    Value* const active = active_;
    Value* const fall = b_.CreateAnd(active, b_.CreateNot(taken));
    auto const is_some = [&](Value* lanes) { return b_.CreateICmpNE(lanes, b_.getInt32(0)); };
    Value* const parts = b_.CreateAnd(is_some(taken), is_some(fall));
    count_to_memory(b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, offsetof(CompiledState, branches)),
                    b_.getInt64(1));
    Value* const one_if_parted = b_.CreateZExt(parts, b_.getInt64Ty());
    count_to_memory(b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, offsetof(CompiledState, divergent)),
                    one_if_parted);
    Value* const parted = state_member(offsetof(CompiledState, parted), b_.getPtrTy());
    count_to_memory(b_.CreateConstGEP1_64(b_.getInt64Ty(), parted, branch), one_if_parted);
    count_guarded_off(branch, fall);
    Hammock const hammock = *find_hammock(plan_, function_, flow_, branch);
    ColumnSet const& live = flow_.blocks[flow_.block_of[op.reconverge]].live_in;
    // Lanes that go on behind the branch are the first.
    auto const of_fall = take_way(branch + 1, op.reconverge, fall, hammock.fall.written, live);
    auto const of_taken = take_way(op.target, op.reconverge, taken, hammock.taken.written, live);
    active_ = active;
    for (std::uint32_t column = 0; column < flow_.columns.size(); ++column) {
        if (of_fall[column] == nullptr && of_taken[column] == nullptr) continue;
        LaneOperand const& operand = flow_.columns[column];
        auto const value = [&](Value* left) { return left != nullptr ? left : read(operand); };
        Value* const old = value(of_fall[column]);
        write(operand, merged(operand, value(of_taken[column]), old, taken), nullptr, false);
    }
}

/// Executes one way, if any lanes take it. Returns what it leaves in columns that are live where it ends, and null for
/// others; the columns then are as they were.
std::vector<llvm::Value*> FunctionEmitter::take_way(std::uint32_t from, std::uint32_t to, Value* lanes,
                                                    ColumnSet const& written, ColumnSet const& live) {
    std::size_t const count = flow_.columns.size();
    std::vector<Value*> left(count), slots(count);
    LaneShapeList const shapes = now_;
    std::vector<Held> before(count);
    for (std::uint32_t column = 0; column < count; ++column) {
        if (!written.contains(column)) continue;
        before[column] = saved(column);
        LaneOperand const& operand = flow_.columns[column];
        if (live.contains(column)) place(slots[column], column_type(module_.getContext(), operand.log2));
    }
    llvm::BasicBlock* const go = new_block("go");
    llvm::BasicBlock* const end = new_block("end");
    b_.CreateCondBr(b_.CreateICmpNE(lanes, b_.getInt32(0)), go, end);
    b_.SetInsertPoint(go);
    active_ = lanes;
    follow(from, to);
    for (std::uint32_t column = 0; column < count; ++column) {
        if (slots[column] != nullptr) b_.CreateStore(read(flow_.columns[column]), slots[column]);
    }
    b_.CreateBr(end);
    b_.SetInsertPoint(end);
    now_ = shapes;
    for (std::uint32_t column = 0; column < count; ++column) {
        if (!written.contains(column)) continue;
        restore(column, before[column]);
        if (slots[column] == nullptr) continue;
        llvm::Type* const type = column_type(module_.getContext(), flow_.columns[column].log2);
        left[column] = b_.CreateLoad(type, slots[column]);
    }
    return left;
}

/// What the active lanes execute from one op to another.
void FunctionEmitter::follow(std::uint32_t at, std::uint32_t to) {
    std::uint32_t counted = at;
    while (at != to) {
        Op const& op = function_.ops[at];
        if (op.kind == OpKind::converge) {
            ++at;
        } else if (op.kind != OpKind::branch) {
            emit_op(nullptr, at);
            ++at;
        } else if ((op.guard & 3) != static_cast<Slot>(isa::Base::frame)) {
            count_ops(counted, at + 1);
            at = counted = is_always_taken(plan_, op) ? op.target : at + 1;
        } else {
            count_ops(counted, at + 1);
            part_at(at, guard_mask(op));
            at = counted = op.reconverge;
        }
    }
    if (counted != to) count_ops(counted, to);
}

}  // namespace warpsim::sim
