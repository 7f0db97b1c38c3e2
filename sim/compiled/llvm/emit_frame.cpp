// Columns between native code and the frame. Where code is entered and left its time hardly counts, but the code of it
// would be most of a kernel's: comparing, spreading and merging values of 32 lanes are calls (sim/exec/code_columns.cpp).
#include "sim/compiled/llvm/function_emitter.hpp"

#include <algorithm>
#include <cstddef>

namespace warpsim::sim {

/// All lanes' values, as they are in the frame.
void FunctionEmitter::load_column(std::uint32_t column) { take_column(column, LaneShape::any); }

/// Takes a column from the frame, of which somebody looks whether it has that shape.
void FunctionEmitter::take_column(std::uint32_t column, LaneShape shape) {
    LaneOperand const& operand = flow_.columns[column];
    if (operand.is_predicate() || shape == LaneShape::any) {
        llvm::Type* const type = column_type(module_.getContext(), operand.log2);
        llvm::Align const align(operand.is_predicate() ? 4 : 64);
        Value* const lanes = b_.CreateAlignedLoad(type, column_address(operand.slot), align);
        if (shape == LaneShape::any) write(operand, lanes, nullptr, false);
        else write_uniform(operand, b_.CreateTrunc(lanes, b_.getInt1Ty()));
        return;
    }
    llvm::Type* const type = element_type(module_.getContext(), operand.log2);
    auto const lane = [&](unsigned i) {
        return b_.CreateAlignedLoad(type, kept_place(operand, i), llvm::Align(std::uint64_t{1} << operand.log2));
    };
    Value* const first = lane(0);
    if (shape == LaneShape::uniform) return write_uniform(operand, first);
    Value* const step = b_.CreateSub(lane(1), first);
    write_linear(operand, first, step, b_.CreateSub(lane(row_lanes), first));
}

std::uint64_t FunctionEmitter::described(LaneOperand const& operand, LaneShape shape) const {
    return describe_column(operand.slot, operand.log2,
                           shape == LaneShape::uniform ? ColumnShape::uniform
                           : shape == LaneShape::any   ? ColumnShape::lanes
                                                       : ColumnShape::linear);
}

/// Puts columns where the interpreter expects them. Other lanes' values stay as they are.
void FunctionEmitter::store_columns(std::vector<std::uint32_t> columns) {
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::vector<std::uint64_t> kept;
    std::vector<std::uint32_t> in_some_lanes;
    for (std::uint32_t const column : columns) {
        LaneOperand const& operand = flow_.columns[column];
        if (operand.is_predicate() || operand.log2 > 3) {
            Value* value = read(operand);
            Value* const address = column_address(operand.slot);
            llvm::Align const align(operand.is_predicate() ? 4 : 64);
            if (!all_)
                value = merged(operand, value, b_.CreateAlignedLoad(value->getType(), address, align), active_);
            b_.CreateAlignedStore(value, address, align);
        } else if (!all_) {
            in_some_lanes.push_back(column);
        } else {
            keep(column);
            if (now_[column] != LaneShape::any) kept.push_back(described(operand, now_[column]));
        }
    }
    expand(kept);
    merge(in_some_lanes);
}

llvm::Value* FunctionEmitter::kept_place(LaneOperand const& operand, unsigned which) {
    return b_.CreateConstGEP1_64(element_type(module_.getContext(), operand.log2), column_address(operand.slot),
                                 which);
}

/// Stores the values of a column in its place in the frame, in the shape that they have.
void FunctionEmitter::keep(std::uint32_t column) {
    LaneOperand const& operand = flow_.columns[column];
    if (now_[column] == LaneShape::any || operand.is_predicate()) {
        b_.CreateAlignedStore(read(operand), column_address(operand.slot),
                              llvm::Align(operand.is_predicate() ? 4 : 64));
        return;
    }
    llvm::Align const align(std::uint64_t{1} << operand.log2);
    b_.CreateAlignedStore(read_first(operand), kept_place(operand, 0), align);
    if (now_[column] != LaneShape::linear) return;
    auto const [step, row_step] = read_steps(operand);
    b_.CreateAlignedStore(step, kept_place(operand, 1), align);
    b_.CreateAlignedStore(row_step, kept_place(operand, 2), align);
}

void FunctionEmitter::take_kept(std::uint32_t column) {
    LaneOperand const& operand = flow_.columns[column];
    LaneShape const shape = now_[column];
    if (shape == LaneShape::any || operand.is_predicate()) return take_column(column, shape);
    llvm::Type* const type = element_type(module_.getContext(), operand.log2);
    llvm::Align const align(std::uint64_t{1} << operand.log2);
    auto const kept = [&](unsigned which) {
        return b_.CreateAlignedLoad(type, kept_place(operand, which), align);
    };
    Value* const first = kept(0);
    if (shape == LaneShape::uniform) return write_uniform(operand, first);
    Value* const step = kept(1);
    write_linear(operand, first, step, kept(2));
}

/// As a constant of the code.
llvm::Value* FunctionEmitter::column_list(std::vector<std::uint64_t> const& columns) {
    llvm::Constant* const list = llvm::ConstantDataArray::get(module_.getContext(), columns);
    auto* const variable = new llvm::GlobalVariable(module_, list->getType(), true,
                                                    llvm::GlobalValue::PrivateLinkage, list, "columns");
    variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return variable;
}

void FunctionEmitter::expand(std::vector<std::uint64_t> const& columns) {
    if (columns.empty()) return;
    auto* const type =
        llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt32Ty()}, false);
    b_.CreateCall(type, state_member(offsetof(CompiledState, expand), b_.getPtrTy()),
                  {state_, column_list(columns), b_.getInt32(static_cast<std::uint32_t>(columns.size()))});
}

/// In the active lanes.
void FunctionEmitter::merge(std::vector<std::uint32_t> const& columns) {
    if (columns.empty()) return;
    constexpr std::uint64_t column_bytes = 256;
    std::uint64_t const bytes = column_bytes * columns.size();
    auto const type_of = [&](std::uint64_t size) { return llvm::ArrayType::get(b_.getInt8Ty(), size); };
    if (merged_ == nullptr) {
        llvm::BasicBlock& begin = llvm_function_->getEntryBlock();
        merged_ = llvm::IRBuilder<>(&begin, begin.begin()).CreateAlloca(type_of(bytes));
        merged_->setAlignment(llvm::Align(64));
    }
    merged_bytes_ = std::max(merged_bytes_, bytes);
    merged_->setAllocatedType(type_of(merged_bytes_));
    std::vector<std::uint64_t> list;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        LaneOperand const& operand = flow_.columns[columns[i]];
        Value* const at = b_.CreateConstGEP1_64(b_.getInt8Ty(), merged_, column_bytes * i);
        b_.CreateAlignedStore(read(operand), at, llvm::Align(64));
        list.push_back(described(operand, LaneShape::any));
    }
    auto* const type = llvm::FunctionType::get(
        b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getInt32Ty(), b_.getPtrTy(), b_.getInt32Ty()}, false);
    b_.CreateCall(
        type, state_member(offsetof(CompiledState, merge), b_.getPtrTy()),
        {state_, column_list(list), b_.getInt32(static_cast<std::uint32_t>(list.size())), merged_, active_});
}

}  // namespace warpsim::sim
