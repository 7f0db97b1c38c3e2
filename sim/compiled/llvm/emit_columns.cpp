// The columns of a frame while native code runs: vectors, or where all lanes have the same or linear values a few
// numbers.
#include "sim/compiled/llvm/function_emitter.hpp"

#include <cstddef>
#include <cstring>

namespace warpsim::sim {

namespace {

constexpr unsigned row = 16;  // lanes; see LaneShape::linear

constexpr bool is_frame_slot(Slot slot) { return (slot & 3) == static_cast<Slot>(isa::Base::frame); }
constexpr std::size_t offset_in_base(Slot slot) { return static_cast<std::size_t>(slot & ~3); }
llvm::Type* element_of(llvm::Type* column) { return llvm::cast<llvm::VectorType>(column)->getElementType(); }

}  // namespace

// ---- shapes --------------------------------------------------------------------------------------------------

LaneShape FunctionEmitter::shape(LaneOperand const& operand) const {
    return shapes_ ? shapes_->of(operand, now_) : LaneShape::any;
}
LaneShape FunctionEmitter::result_shape(std::uint32_t index) const {
    return shapes_ ? shapes_->result(index, now_) : LaneShape::any;
}
void FunctionEmitter::set_shape(LaneOperand const& operand, LaneShape shape) {
    now_[flow_.column(operand)] = shape;
}

/// Values that have the smaller shape get the larger one.
void FunctionEmitter::change_shape(std::uint32_t column, LaneShape to) {
    LaneOperand const& operand = flow_.columns[column];
    if (to == LaneShape::any) return write(operand, read(operand), nullptr, false);
    Value* const none = llvm::ConstantInt::get(element_type(module_.getContext(), operand.log2), 0);
    write_linear(operand, read_first(operand), none, none);
}

/// The values of a column, in the shape that it has now.
FunctionEmitter::Held FunctionEmitter::saved(std::uint32_t column) {
    LaneOperand const& operand = flow_.columns[column];
    switch (now_[column]) {
        case LaneShape::any: return {read(operand), nullptr, nullptr, nullptr};
        case LaneShape::linear: {
            auto const [step, row_step] = read_steps(operand);
            return {nullptr, read_first(operand), step, row_step};
        }
        default: return {nullptr, read_first(operand), nullptr, nullptr};
    }
}
void FunctionEmitter::restore(std::uint32_t column, Held const& values) {
    LaneOperand const& operand = flow_.columns[column];
    if (values.lanes != nullptr) write(operand, values.lanes, nullptr, false);
    else if (values.step != nullptr) write_linear(operand, values.first, values.step, values.row_step);
    else write_uniform(operand, values.first);
}

llvm::Value* FunctionEmitter::joined(Value* low, Value* high) {
    std::vector<int> order;
    unsigned const lanes = llvm::cast<llvm::FixedVectorType>(low->getType())->getNumElements();
    for (unsigned i = 0; i < 2 * lanes; ++i) order.push_back(static_cast<int>(i));
    return b_.CreateShuffleVector(low, high, order);
}

llvm::Value* FunctionEmitter::lanes_of(LaneOperand const& operand, Value* first, Value* step, Value* row_step) {
    llvm::Type* const element = element_type(module_.getContext(), operand.log2);
    std::vector<llvm::Constant*> positions;
    for (unsigned i = 0; i < row; ++i) positions.push_back(llvm::ConstantInt::get(element, i));
    Value* const along = b_.CreateMul(llvm::ConstantVector::get(positions), splat(step, row));
    return joined(b_.CreateAdd(splat(first, row), along),
                  b_.CreateAdd(splat(b_.CreateAdd(first, row_step), row), along));
}

// ---- reading and writing ---------------------------------------------------------------------------------------

llvm::Value* FunctionEmitter::place(Value*& held, llvm::Type* type) {
    if (held == nullptr) {
        llvm::BasicBlock& begin = llvm_function_->getEntryBlock();
        held = llvm::IRBuilder<>(&begin, begin.begin()).CreateAlloca(type);
    }
    return held;
}

/// All lanes.
llvm::Value* FunctionEmitter::read(LaneOperand const& operand) {
    if (!is_frame_slot(operand.slot)) return constant_column(operand);
    llvm::Type* const type = column_type(module_.getContext(), operand.log2);
    switch (shape(operand)) {
        case LaneShape::uniform: {
            Value* const first = read_first(operand);
            return operand.is_predicate() ? b_.CreateSExt(first, type) : splat(first);
        }
        case LaneShape::linear: {
            auto const [step, row_step] = read_steps(operand);
            return lanes_of(operand, read_first(operand), step, row_step);
        }
        default: return b_.CreateLoad(type, place(columns_[flow_.column(operand)].lanes, type));
    }
}

/// What lane 0 has, of a column that is uniform or linear.
llvm::Value* FunctionEmitter::read_first(LaneOperand const& operand) {
    llvm::Type* const type = element_type(module_.getContext(), operand.log2);
    if (is_frame_slot(operand.slot))
        return b_.CreateLoad(type, place(columns_[flow_.column(operand)].first, type));
    if (auto const position = positions_.find(operand.slot); position != positions_.end())
        return b_.CreateLoad(type, position->second.first);
    if (operand.is_predicate()) return b_.CreateTrunc(constant_column(operand), type);
    if (!is_uniform_constant(operand)) return b_.CreateExtractElement(constant_column(operand), std::uint64_t{0});
    return b_.CreateAlignedLoad(type, column_address(operand.slot), llvm::Align(std::uint64_t{1} << operand.log2));
}

std::array<llvm::Value*, 2> FunctionEmitter::read_steps(LaneOperand const& operand) {
    llvm::Type* const type = element_type(module_.getContext(), operand.log2);
    if (shape(operand) == LaneShape::uniform)
        return {llvm::ConstantInt::get(type, 0), llvm::ConstantInt::get(type, 0)};
    if (is_frame_slot(operand.slot)) {
        Held& held = columns_[flow_.column(operand)];
        return {b_.CreateLoad(type, place(held.step, type)), b_.CreateLoad(type, place(held.row_step, type))};
    }
    Held const& position = positions_.at(operand.slot);
    return {position.step, b_.CreateLoad(type, position.row_step)};
}

void FunctionEmitter::write(LaneOperand const& operand, Value* value, Value* mask, bool is_guarded) {
    if (!is_frame_slot(operand.slot)) return;
    if (is_guarded) value = merged(operand, value, read(operand), mask);
    b_.CreateStore(value, place(columns_[flow_.column(operand)].lanes, value->getType()));
    set_shape(operand, LaneShape::any);
}
void FunctionEmitter::write_uniform(LaneOperand const& operand, Value* value) {
    if (!is_frame_slot(operand.slot)) return;
    b_.CreateStore(value, place(columns_[flow_.column(operand)].first, value->getType()));
    set_shape(operand, LaneShape::uniform);
}
void FunctionEmitter::write_linear(LaneOperand const& operand, Value* first, Value* step, Value* row_step) {
    if (!is_frame_slot(operand.slot)) return;
    Held& held = columns_[flow_.column(operand)];
    b_.CreateStore(first, place(held.first, first->getType()));
    b_.CreateStore(step, place(held.step, step->getType()));
    b_.CreateStore(row_step, place(held.row_step, row_step->getType()));
    set_shape(operand, LaneShape::linear);
}

/// In the lanes of the mask the fresh value, in others the old one.
llvm::Value* FunctionEmitter::merged(LaneOperand const& operand, Value* fresh, Value* old, Value* mask) {
    if (operand.is_predicate())
        return b_.CreateOr(b_.CreateAnd(old, b_.CreateNot(mask)), b_.CreateAnd(fresh, mask));
    return b_.CreateSelect(bits(mask), fresh, old);
}

// ---- constants -------------------------------------------------------------------------------------------------

bool FunctionEmitter::is_uniform_constant(LaneOperand const& operand) const {
    return (operand.slot & 3) == static_cast<Slot>(isa::Base::cta) || plan_.is_of_launch(operand.slot);
}

/// Of the plan, the CTA or the warp: nothing changes it while the code runs.
llvm::Value* FunctionEmitter::constant_column(LaneOperand const& operand) {
    llvm::Type* const type = column_type(module_.getContext(), operand.log2);
    bool const is_uniform = is_uniform_constant(operand);
    if ((operand.slot & 3) == static_cast<Slot>(isa::Base::plan) && !is_uniform) {
        std::byte const* const bytes = plan_.constants.data() + offset_in_base(operand.slot);
        if (operand.is_predicate()) {
            std::uint32_t mask = 0;
            std::memcpy(&mask, bytes, sizeof mask);
            return b_.getInt32(mask);
        }
        llvm::StringRef const raw(reinterpret_cast<char const*>(bytes), std::size_t{32} << operand.log2);
        return llvm::ConstantDataVector::getRaw(raw, 32, element_of(type));
    }
    Value* const address = column_address(operand.slot);
    if (operand.is_predicate()) return b_.CreateLoad(type, address);
    llvm::Align const align(std::uint64_t{1} << operand.log2);
    if (!is_uniform) return b_.CreateAlignedLoad(type, address, align);
    return splat(b_.CreateAlignedLoad(element_of(type), address, align));
}

// ---- between the frame and native code ---------------------------------------------------------------------------

llvm::Value* FunctionEmitter::base(isa::Base which) {
    Value* const base = bases_[static_cast<std::size_t>(which)];
    bool const changes = which == isa::Base::frame || which == isa::Base::warp;
    return changes ? b_.CreateLoad(b_.getPtrTy(), base) : base;
}
llvm::Value* FunctionEmitter::column_address(Slot slot) {
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), base(static_cast<isa::Base>(slot & 3)), offset_in_base(slot));
}

// ---- masks -----------------------------------------------------------------------------------------------------

llvm::Value* FunctionEmitter::bits(Value* mask) {
    if (options_.has_masks) return b_.CreateBitCast(mask, llvm::FixedVectorType::get(b_.getInt1Ty(), 32));
    // A conversion would take each lane's bit by itself.
    std::vector<llvm::Constant*> of_lanes;
    for (unsigned i = 0; i < 32; ++i) of_lanes.push_back(b_.getInt32(1u << i));
    Value* const own = llvm::ConstantVector::get(of_lanes);
    return b_.CreateICmpEQ(b_.CreateAnd(splat(mask), own), own);
}
bool FunctionEmitter::is_full_mask(Value* mask) const {
    auto const* const constant = llvm::dyn_cast<llvm::ConstantInt>(mask);
    return constant != nullptr && constant->isMinusOne();
}
llvm::Value* FunctionEmitter::guard_mask(Op const& op) {
    Value* const predicate = read({op.guard, 0});
    return b_.CreateAnd(active_, op.guard_negated ? b_.CreateNot(predicate) : predicate);
}

}  // namespace warpsim::sim
