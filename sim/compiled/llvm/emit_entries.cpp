// Where code is entered: what is live is taken from the frame, if it looks as the code takes it to.
#include "sim/compiled/llvm/function_emitter.hpp"

#include <algorithm>
#include <cstddef>

namespace warpsim::sim {

/// The ops at which all lanes together may come from the interpreter: not those behind a branch, unless that went back and
/// ended a slice. Each entry would take something from what is known of the columns there.
std::vector<bool> FunctionEmitter::common_entries() const {
    std::vector<bool> is_entry(function_.ops.size() + 1, false);
    is_entry[0] = true;
    for (std::uint32_t i = 0; i < function_.ops.size(); ++i) {
        Op const& op = function_.ops[i];
        if (!flow_.ops[i].is_compiled || op.kind == OpKind::converge || op.kind == OpKind::effect)
            is_entry[i + 1] = true;
        if (op.kind == OpKind::branch && op.target <= i) is_entry[op.target] = true;
    }
    for (auto const& list : function_.branch_lists) {
        for (std::uint32_t const target : list) is_entry[target] = true;
    }
    return is_entry;
}

/// The code begins where straight-line code does, with what is live there.
void FunctionEmitter::emit_entries(CompiledFunction& compiled) {
    compiled.entries.assign(function_.ops.size(), CompiledFunction::no_entry);
    llvm::BasicBlock* const nowhere = new_block("nowhere");
    llvm::BasicBlock* const mismatch = new_block("mismatch");
    find_positions();
    std::vector<bool> const reads_positions = blocks_before_positions();
    take_positions();
    llvm::BasicBlock* const begin = b_.GetInsertBlock();
    llvm::BasicBlock* const choose = new_block("choose");
    b_.CreateBr(choose);
    b_.SetInsertPoint(choose);
    entry_ = b_.CreatePHI(b_.getInt32Ty(), 2);
    entry_->addIncoming(llvm_function_->getArg(1), begin);
    choice_ = b_.CreateSwitch(entry_, nowhere);
    emit_known_begin();
    std::vector<bool> const is_common = common_entries();
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
        CodeBlock const& block = flow_.blocks[i];
        if (!block.is_compiled) continue;
        std::uint32_t const number = next_entry_++;
        compiled.entries[block.begin] = number;
        if (all_ && !is_common[block.begin]) continue;
        llvm::BasicBlock* const entry = new_block("entry");
        choice_->addCase(b_.getInt32(number), entry);
        b_.SetInsertPoint(entry);
        LaneShapeList const shapes = shapes_at(static_cast<std::uint32_t>(i));
        now_ = shapes;
        std::vector<std::uint64_t> shaped = reads_positions[i] ? positions() : std::vector<std::uint64_t>();
        for (std::uint32_t column = 0; column < flow_.columns.size(); ++column) {
            if (!block.live_in.contains(column)) continue;
            if (shapes[column] != LaneShape::any)
                shaped.push_back(described(flow_.columns[column], shapes[column]));
            take_column(column, shapes[column]);
        }
        if (shaped.empty()) {
            b_.CreateBr(blocks_[i]);
            continue;
        }
        auto* const type =
            llvm::FunctionType::get(b_.getInt1Ty(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt32Ty()}, false);
        auto* const differs =
            b_.CreateCall(type, state_member(offsetof(CompiledState, differs), b_.getPtrTy()),
                          {state_, column_list(shaped), b_.getInt32(static_cast<std::uint32_t>(shaped.size()))});
        differs->addRetAttr(llvm::Attribute::ZExt);
        b_.CreateCondBr(differs, mismatch, blocks_[i], rarely());
    }
    b_.SetInsertPoint(nowhere);
    b_.CreateBr(mismatch);
    b_.SetInsertPoint(mismatch);
    b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(CompiledExit::mismatch)));
}

/// What is live there is 0, which has any shape.
void FunctionEmitter::emit_known_begin() {
    next_entry_ = CompiledFunction::known_begin + 1;
    CodeBlock const& block = flow_.blocks.front();
    known_begin_ = new_block("known_begin");
    b_.SetInsertPoint(known_begin_);
    if (!block.is_compiled) {
        b_.CreateUnreachable();
        return;
    }
    choice_->addCase(b_.getInt32(CompiledFunction::known_begin), known_begin_);
    now_ = shapes_at(0);
    for (std::uint32_t column = 0; column < flow_.columns.size(); ++column) {
        if (!block.live_in.contains(column)) continue;
        LaneOperand const& operand = flow_.columns[column];
        llvm::Type* const type = column_type(module_.getContext(), operand.log2);
        b_.CreateAlignedStore(llvm::Constant::getNullValue(type), column_address(operand.slot),
                              llvm::Align(operand.is_predicate() ? 4 : 64));
        take_column(column, now_[column]);
    }
    b_.CreateBr(blocks_.front());
}

void FunctionEmitter::find_positions() {
    positions_.clear();
    position_operands_.clear();
    if (!shapes_) return;
    for (CompiledOp const& op : flow_.ops) {
        if (!op.lanes) continue;
        for (LaneOperand const& source : op.lanes->sources) {
            auto const step = position_step(plan_, source);
            if (!step || positions_.count(source.slot) != 0) continue;
            positions_[source.slot].step =
                llvm::ConstantInt::get(element_type(module_.getContext(), source.log2), *step);
            position_operands_[source.slot] = source;
        }
    }
}

/// Of the warp that runs.
void FunctionEmitter::take_positions() {
    for (auto& [slot, position] : positions_) {
        std::uint8_t const log2 = position_operands_.at(slot).log2;
        llvm::Type* const type = element_type(module_.getContext(), log2);
        auto const lane = [&, slot = slot](unsigned i) {
            Value* const at = b_.CreateConstGEP1_64(type, column_address(slot), i);
            return b_.CreateAlignedLoad(type, at, llvm::Align(std::uint64_t{1} << log2));
        };
        Value* const first = lane(0);
        b_.CreateStore(first, place(position.first, type));
        b_.CreateStore(b_.CreateSub(lane(row_lanes), first), place(position.row_step, type));
    }
}

/// Blocks from which code comes to one that reads a position.
std::vector<bool> FunctionEmitter::blocks_before_positions() const {
    std::vector<bool> before(flow_.blocks.size(), false);
    if (positions_.empty()) return before;
    for (bool changes = true; changes;) {
        changes = false;
        for (std::size_t b = flow_.blocks.size(); b-- > 0;) {
            CodeBlock const& block = flow_.blocks[b];
            if (before[b] || !block.is_compiled) continue;
            bool is_one = std::any_of(block.successors.begin(), block.successors.end(),
                                      [&](std::uint32_t next) { return before[next]; });
            for (std::uint32_t i = block.begin; i < block.end && !is_one; ++i) {
                if (!flow_.ops[i].lanes) continue;
                for (LaneOperand const& source : flow_.ops[i].lanes->sources)
                    is_one = is_one || positions_.count(source.slot) != 0;
            }
            before[b] = is_one;
            changes = changes || is_one;
        }
    }
    return before;
}

/// Where threads of the warp must be in their block for linear shapes to be right.
std::vector<std::uint64_t> FunctionEmitter::positions() const {
    std::vector<std::uint64_t> described;
    for (auto const& [slot, operand] : position_operands_) {
        ColumnShape const shape = *position_step(plan_, operand) == 1 ? ColumnShape::counted : ColumnShape::rows;
        described.push_back(describe_column(slot, operand.log2, shape));
    }
    return described;
}

}  // namespace warpsim::sim
