#include "sim/compiled/llvm/function_emitter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <llvm/IR/MDBuilder.h>

namespace warpsim::sim {

namespace {

constexpr bool is_in_frame(Slot slot) { return (slot & 3) == static_cast<Slot>(isa::Base::frame); }
constexpr std::size_t offset_of(Slot slot) { return static_cast<std::size_t>(slot & ~3); }

}  // namespace

llvm::Function* FunctionEmitter::emit(std::string const& name, bool all, CompiledFunction& compiled) {
    begin(name, all);
    for (CodeBlock const& block : flow_.blocks)
        blocks_.push_back(new_block(block.is_compiled ? "block" : "leave"));
    emit_entries(compiled);
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
        CodeBlock const& block = flow_.blocks[i];
        b_.SetInsertPoint(blocks_[i]);
        if (block.is_compiled) emit_block(block);
        else b_.CreateBr(exit_block(block.begin, CompiledExit::at_op, block.live_in, block.dirty_in));
    }
    compiled.edges = edges_;
    return llvm_function_;
}

void FunctionEmitter::begin(std::string const& name, bool all) {
    all_ = all;
    edges_.clear();
    blocks_.clear();
    auto* const type = llvm::FunctionType::get(b_.getInt32Ty(), {b_.getPtrTy(), b_.getInt32Ty()}, false);
    llvm_function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
    llvm_function_->addFnAttr(llvm::Attribute::NoUnwind);
    llvm_function_->addParamAttr(0, llvm::Attribute::NoAlias);
    state_ = llvm_function_->getArg(0);
    b_.SetInsertPoint(new_block("begin"));
    for (std::size_t i = 0; i < 4; ++i)
        bases_[i] = state_member(offsetof(CompiledState, bases) + 8 * i, b_.getPtrTy());
    active_ = all ? b_.getInt32(isa::all_lanes) : state_member(offsetof(CompiledState, active), b_.getInt32Ty());
    executed_ = b_.CreateAlloca(b_.getInt64Ty());
    b_.CreateStore(state_member(offsetof(CompiledState, executed), b_.getInt64Ty()), executed_);
    columns_.clear();
    for (LaneOperand const& column : flow_.columns) {
        llvm::Type* const held = column_type(module_.getContext(), column.log2);
        Value* const place = b_.CreateAlloca(held);
        columns_.push_back(place);
    }
}

/// The code begins where straight-line code does, with what is live there.
void FunctionEmitter::emit_entries(CompiledFunction& compiled) {
    compiled.entries.assign(function_.ops.size(), CompiledFunction::no_entry);
    llvm::BasicBlock* const nowhere = new_block("nowhere");
    auto* const choice = b_.CreateSwitch(llvm_function_->getArg(1), nowhere);
    std::uint32_t entries = 0;
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
        CodeBlock const& block = flow_.blocks[i];
        if (!block.is_compiled) continue;
        llvm::BasicBlock* const entry = new_block("entry");
        choice->addCase(b_.getInt32(entries), entry);
        compiled.entries[block.begin] = entries++;
        b_.SetInsertPoint(entry);
        for (std::uint32_t column = 0; column < flow_.columns.size(); ++column) {
            if (block.live_in.contains(column)) load_column(column);
        }
        b_.CreateBr(blocks_[i]);
    }
    b_.SetInsertPoint(nowhere);
    b_.CreateUnreachable();
}

void FunctionEmitter::emit_block(CodeBlock const& block) {
    for (std::uint32_t i = block.begin; i < block.end; ++i) emit_op(block, i);
    if (function_.ops[block.end - 1].kind == OpKind::branch) return;
    std::uint32_t const instructions =
        function_.instructions_before[block.end] - function_.instructions_before[block.begin];
    if (instructions != 0) count_to_memory(executed_, b_.getInt64(instructions));
    b_.CreateBr(blocks_[flow_.block_of[block.end]]);
}

void FunctionEmitter::emit_op(CodeBlock const& block, std::uint32_t index) {
    Op const& op = function_.ops[index];
    bool const is_guarded = is_in_frame(op.guard);
    switch (op.kind) {
        case OpKind::branch: return emit_branch(block, index);
        case OpKind::converge: return emit_converge(block, index);
        case OpKind::lanes:
        case OpKind::lanes_guarded:
        case OpKind::load:
        case OpKind::store:
        case OpKind::nothing:
        case OpKind::report: {
            Value* mask = active_;
            if (is_guarded) {
                mask = guard_mask(op);
                Value* const off = b_.CreateAnd(active_, b_.CreateNot(mask));
                Value* const lanes = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, off);
                Value* const counter = b_.CreateConstGEP1_64(
                    b_.getInt64Ty(), state_member(offsetof(CompiledState, guarded_off), b_.getPtrTy()), index);
                count_to_memory(counter, b_.CreateZExt(lanes, b_.getInt64Ty()));
            }
            if (op.kind == OpKind::load || op.kind == OpKind::store) emit_access(index, mask, is_guarded);
            else if (op.kind != OpKind::nothing && op.kind != OpKind::report) emit_lanes(index, mask, is_guarded);
            return;
        }
        default: return;
    }
}

void FunctionEmitter::emit_lanes(std::uint32_t index, Value* mask, bool is_guarded) {
    Op const& op = function_.ops[index];
    LaneCall const& call = *flow_.ops[index].lanes;
    std::vector<Value*> arguments;
    for (LaneOperand const& source : call.sources) arguments.push_back(read(source));
    if (call.reads_scalar) arguments.push_back(column_address(op.operands.slot[1]));
    if (call.reads_destination) arguments.push_back(read(call.destination));
    arguments.push_back(b_.getInt64(op.operands.immediate));
    Value* result = b_.CreateCall(library_.wrapper(module_, call), arguments);
    if (call.carry_out) {
        write(*call.carry_out, b_.CreateExtractValue(result, 1), mask, is_guarded);
        result = b_.CreateExtractValue(result, 0);
    }
    write(call.destination, result, mask, is_guarded);
}

// ---- control flow --------------------------------------------------------------------------------------------

void FunctionEmitter::emit_branch(CodeBlock const& block, std::uint32_t index) {
    Op const& op = function_.ops[index];
    auto const& before = function_.instructions_before;
    if (std::uint32_t const count = before[index] - before[block.begin]; count != 0)
        count_to_memory(executed_, b_.getInt64(count));
    if (!is_in_frame(op.guard)) {
        // A guard that is always true or false.
        bool const is_taken = is_full_mask(read({op.guard, 0})) != op.guard_negated;
        return take_edge(index, is_taken ? op.target : index + 1, is_taken, false, block);
    }
    Value* const mask = guard_mask(op);
    llvm::BasicBlock* const taken = new_block("taken");
    llvm::BasicBlock* const others = new_block("others");
    llvm::BasicBlock* const passed = new_block("passed");
    ColumnSet live = block.live_out;
    live.insert(flow_.column({op.guard, 0}));
    b_.CreateCondBr(b_.CreateICmpEQ(mask, active_), taken, others);
    b_.SetInsertPoint(others);
    b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(0)), passed,
                    exit_block(index, CompiledExit::at_op, live, block.dirty_out));
    b_.SetInsertPoint(taken);
    take_edge(index, op.target, true, true, block);
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
    llvm::MDNode* const rarely = llvm::MDBuilder(module_.getContext()).createBranchWeights(1, 1000);
    b_.CreateCondBr(b_.CreateICmpNE(barriers, b_.getInt32(0)), look, go_on, rarely);
    b_.SetInsertPoint(look);
    auto* const type = llvm::FunctionType::get(b_.getInt1Ty(), {b_.getPtrTy(), b_.getInt32Ty()}, false);
    auto* const waits = b_.CreateCall(type, state_member(offsetof(CompiledState, waits), b_.getPtrTy()),
                                      {state_, b_.getInt32(index)});
    waits->addRetAttr(llvm::Attribute::ZExt);
    b_.CreateCondBr(waits, exit_block(index, CompiledExit::at_op, block.live_in, block.dirty_in), go_on);
    b_.SetInsertPoint(go_on);
}

llvm::BasicBlock* FunctionEmitter::exit_block(std::uint32_t op, CompiledExit how, ColumnSet const& live,
                                              ColumnSet const& dirty) {
    llvm::IRBuilderBase::InsertPointGuard const guard(b_);
    llvm::BasicBlock* const block = new_block("exit");
    b_.SetInsertPoint(block);
    for (std::uint32_t column = 0; column < flow_.columns.size(); ++column) {
        if (live.contains(column) && dirty.contains(column)) store_column(column);
    }
    set_state(offsetof(CompiledState, pc), b_.getInt32(op));
    set_state(offsetof(CompiledState, executed), b_.CreateLoad(b_.getInt64Ty(), executed_));
    b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(how)));
    return block;
}

// ---- columns -------------------------------------------------------------------------------------------------

llvm::Value* FunctionEmitter::state_member(std::size_t offset, llvm::Type* type) {
    return b_.CreateLoad(type, b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, offset));
}
void FunctionEmitter::set_state(std::size_t offset, Value* value) {
    b_.CreateStore(value, b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, offset));
}
void FunctionEmitter::count_to_memory(Value* address, Value* add) {
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), address), add), address);
}

llvm::Value* FunctionEmitter::bits(Value* mask) {
    return b_.CreateBitCast(mask, llvm::FixedVectorType::get(b_.getInt1Ty(), 32));
}
bool FunctionEmitter::is_full_mask(Value* mask) const {
    auto const* const constant = llvm::dyn_cast<llvm::ConstantInt>(mask);
    return constant != nullptr && constant->isMinusOne();
}

llvm::Value* FunctionEmitter::guard_mask(Op const& op) {
    Value* const predicate = read({op.guard, 0});
    return b_.CreateAnd(active_, op.guard_negated ? b_.CreateNot(predicate) : predicate);
}

llvm::Value* FunctionEmitter::column_address(Slot slot) {
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), bases_[slot & 3], offset_of(slot));
}

/// Of the plan, the CTA or the warp: nothing changes it while the code runs.
llvm::Value* FunctionEmitter::constant_column(LaneOperand const& operand) {
    llvm::Type* const type = column_type(module_.getContext(), operand.log2);
    auto const base = static_cast<isa::Base>(operand.slot & 3);
    auto const is_special = [&](std::vector<SpecialColumn> const& list) {
        return std::any_of(list.begin(), list.end(),
                           [&](SpecialColumn const& special) { return special.slot == operand.slot; });
    };
    bool const is_uniform = base == isa::Base::cta || is_special(plan_.launch_specials);
    if (base == isa::Base::plan && !is_uniform) {
        std::byte const* const bytes = plan_.constants.data() + offset_of(operand.slot);
        if (operand.is_predicate()) {
            std::uint32_t mask = 0;
            std::memcpy(&mask, bytes, sizeof mask);
            return b_.getInt32(mask);
        }
        llvm::StringRef const raw(reinterpret_cast<char const*>(bytes), std::size_t{32} << operand.log2);
        return llvm::ConstantDataVector::getRaw(raw, 32, llvm::cast<llvm::VectorType>(type)->getElementType());
    }
    Value* const address = column_address(operand.slot);
    if (operand.is_predicate()) return b_.CreateLoad(type, address);
    llvm::Align const align(std::uint64_t{1} << operand.log2);
    if (!is_uniform) return b_.CreateAlignedLoad(type, address, align);
    llvm::Type* const element = llvm::cast<llvm::VectorType>(type)->getElementType();
    return b_.CreateVectorSplat(32, b_.CreateAlignedLoad(element, address, align));
}

llvm::Value* FunctionEmitter::read(LaneOperand const& operand) {
    if (!is_in_frame(operand.slot)) return constant_column(operand);
    return b_.CreateLoad(column_type(module_.getContext(), operand.log2), columns_[flow_.column(operand)]);
}

/// In the lanes of the mask the fresh value, in others the old one.
llvm::Value* FunctionEmitter::merged(LaneOperand const& operand, Value* fresh, Value* old, Value* mask) {
    if (operand.is_predicate())
        return b_.CreateOr(b_.CreateAnd(old, b_.CreateNot(mask)), b_.CreateAnd(fresh, mask));
    return b_.CreateSelect(bits(mask), fresh, old);
}

void FunctionEmitter::write(LaneOperand const& operand, Value* value, Value* mask, bool is_guarded) {
    if (!is_in_frame(operand.slot)) return;
    if (is_guarded) value = merged(operand, value, read(operand), mask);
    b_.CreateStore(value, columns_[flow_.column(operand)]);
}

void FunctionEmitter::load_column(std::uint32_t column) {
    LaneOperand const& operand = flow_.columns[column];
    llvm::Type* const type = column_type(module_.getContext(), operand.log2);
    llvm::Align const align(operand.is_predicate() ? 4 : 64);
    b_.CreateStore(b_.CreateAlignedLoad(type, column_address(operand.slot), align), columns_[column]);
}

/// Other lanes' values stay as they are in memory.
void FunctionEmitter::store_column(std::uint32_t column) {
    LaneOperand const& operand = flow_.columns[column];
    llvm::Type* const type = column_type(module_.getContext(), operand.log2);
    llvm::Align const align(operand.is_predicate() ? 4 : 64);
    Value* const address = column_address(operand.slot);
    Value* value = b_.CreateLoad(type, columns_[column]);
    if (!all_) value = merged(operand, value, b_.CreateAlignedLoad(type, address, align), active_);
    b_.CreateAlignedStore(value, address, align);
}

}  // namespace warpsim::sim
