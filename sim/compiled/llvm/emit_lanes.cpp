// Lane functions as native code: of vectors, of a number that all lanes have, or of what makes linear values.
#include "sim/compiled/llvm/function_emitter.hpp"

namespace warpsim::sim {

/// A line of 32 bits that becomes one of 64, if no lane wraps around.
bool FunctionEmitter::widens_line(LaneCall const& call) const {
    std::uint32_t const varying = call.linear.multiplies ? shapes_->varying_factor(call, now_) : 0;
    return call.linear.widens && shape(call.sources[varying]) == LaneShape::linear;
}

void FunctionEmitter::emit_lanes(CodeBlock const* block, std::uint32_t index, Value* mask, bool is_guarded) {
    Op const& op = function_.ops[index];
    LaneCall const& call = *flow_.ops[index].lanes;
    LaneShape const shape = result_shape(index);
    if (shape == LaneShape::uniform) return emit_uniform(op, call);
    bool const may_leave = block != nullptr;
    if (shape == LaneShape::linear && (may_leave || !widens_line(call))) return emit_linear(block, index);
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

void FunctionEmitter::emit_uniform(Op const& op, LaneCall const& call) {
    auto const taken = [&](LaneOperand const& operand) -> Value* {
        Value* const first = read_first(operand);
        return operand.is_predicate() ? b_.CreateSExt(first, b_.getInt32Ty()) : first;
    };
    std::vector<Value*> arguments;
    for (LaneOperand const& source : call.sources) arguments.push_back(taken(source));
    if (call.reads_scalar) arguments.push_back(column_address(op.operands.slot[1]));
    if (call.reads_destination) arguments.push_back(taken(call.destination));
    arguments.push_back(b_.getInt64(op.operands.immediate));
    Value* result = b_.CreateCall(library_.scalar(module_, call), arguments);
    if (call.carry_out) {
        write_uniform(*call.carry_out, b_.CreateExtractValue(result, 1));
        result = b_.CreateExtractValue(result, 0);
    }
    write_uniform(call.destination, result);
}

/// The function of the first lane's operands, and of their steps: of a factor that all lanes have in common, itself.
void FunctionEmitter::emit_linear(CodeBlock const* block, std::uint32_t index) {
    Op const& op = function_.ops[index];
    LaneCall const& call = *flow_.ops[index].lanes;
    LinearRule const& rule = call.linear;
    std::uint32_t const varying = rule.multiplies ? shapes_->varying_factor(call, now_) : 0;
    if (widens_line(call)) check_widening(*block, index, call.sources[varying]);
    std::vector<Value*> first, step, row_step;
    for (std::uint32_t i = 0; i < call.sources.size(); ++i) {
        LaneOperand const& source = call.sources[i];
        first.push_back(read_first(source));
        bool const is_common = rule.multiplies && i < 2 && i != varying;
        auto const steps = is_common ? std::array<Value*, 2>{first.back(), first.back()} : read_steps(source);
        step.push_back(steps[0]);
        row_step.push_back(steps[1]);
    }
    llvm::Function* const function = library_.scalar(module_, call);
    auto const result = [&](std::vector<Value*>& arguments, std::uint64_t immediate) {
        arguments.push_back(b_.getInt64(immediate));
        return b_.CreateCall(function, arguments);
    };
    Value* const at_first = result(first, op.operands.immediate);
    Value* const along = result(step, 0);
    write_linear(call.destination, at_first, along, result(row_step, 0));
}

/// A lane whose 32 bits wrap around does not continue the line in 64 bits; then the interpreter does it.
void FunctionEmitter::check_widening(CodeBlock const& block, std::uint32_t index, LaneOperand const& source) {
    llvm::Type* const i64 = b_.getInt64Ty();
    bool const is_signed = flow_.ops[index].lanes->linear.is_signed;
    auto const wide = [&](Value* value) {
        return is_signed ? b_.CreateSExt(value, i64) : b_.CreateZExt(value, i64);
    };
    auto const [step, row_step] = read_steps(source);
    Value* const corner = wide(read_first(source));
    Value* const end_of_row = b_.CreateAdd(corner, b_.CreateMul(wide(step), b_.getInt64(15)));
    Value* const row = wide(row_step);
    Value* outside = b_.getInt64(0);
    for (Value* const value : {end_of_row, b_.CreateAdd(corner, row), b_.CreateAdd(end_of_row, row)}) {
        Value* const moved = is_signed ? b_.CreateAdd(value, b_.getInt64(std::uint64_t{1} << 31)) : value;
        outside = b_.CreateOr(outside, b_.CreateLShr(moved, 32));
    }
    llvm::BasicBlock* const inside = new_block("inside");
    b_.CreateCondBr(b_.CreateICmpNE(outside, b_.getInt64(0)), exit_before(block, index), inside, rarely());
    b_.SetInsertPoint(inside);
}

}  // namespace warpsim::sim
