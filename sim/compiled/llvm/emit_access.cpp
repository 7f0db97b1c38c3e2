// Loads and stores. What stands here is quick for the usual patterns of addresses, and only where every byte is inside of
// what the warp accessed last; everything else, faults included, is left to MemoryAccess.
#include "sim/compiled/llvm/function_emitter.hpp"

#include <cstddef>
#include <llvm/IR/MDBuilder.h>

namespace warpsim::sim {

namespace {

bool is_in_frame(Slot slot, isa::Base base) { return (slot & 3) == static_cast<Slot>(base); }

bool may_be_fast(Access const& access) {
    if (access.elements != 1 && access.elements != 2 && access.elements != 4) return false;
    switch (access.space) {
        case SpaceKind::global:
        case SpaceKind::generic:
        case SpaceKind::constant: return access.order == isa::Order::weak;
        case SpaceKind::shared: return true;
        default: return false;
    }
}

}  // namespace

void FunctionEmitter::emit_access(std::uint32_t index, Value* mask, bool is_guarded) {
    Op const& op = function_.ops[index];
    Access const& access = function_.accesses[op.target];
    llvm::BasicBlock* const done = new_block("done");
    if (is_guarded) {
        llvm::BasicBlock* const some = new_block("some");
        b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(0)), done, some);
        b_.SetInsertPoint(some);
    }
    llvm::BasicBlock* const slow = new_block("slow");
    if (may_be_fast(access)) emit_fast_access(op, access, mask, is_guarded, slow, done);
    else b_.CreateBr(slow);
    b_.SetInsertPoint(slow);
    emit_slow_access(index, access, mask, is_guarded);
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
}

llvm::Value* FunctionEmitter::addresses(Access const& access) {
    auto const log2 = static_cast<std::uint8_t>(access.address_is_64 || access.is_at_one_place ? 3 : 2);
    Value* const column = read({access.address, log2});
    llvm::Type* const element = llvm::cast<llvm::VectorType>(column->getType())->getElementType();
    Value* const offset = llvm::ConstantInt::get(element, static_cast<std::uint64_t>(access.offset));
    return b_.CreateAdd(column, b_.CreateVectorSplat(32, offset));
}

void FunctionEmitter::emit_fast_access(Op const& op, Access const& access, Value* mask, bool is_guarded,
                                       llvm::BasicBlock* slow, llvm::BasicBlock* done) {
    bool const is_full = is_full_mask(mask);
    llvm::Type* const i64 = b_.getInt64Ty();
    Value* const lanes = addresses(access);
    auto* const element =
        llvm::cast<llvm::IntegerType>(llvm::cast<llvm::VectorType>(lanes->getType())->getElementType());
    // The lowest and the highest lane.
    Value* first = b_.getInt32(0);
    Value* last = b_.getInt32(31);
    if (!is_full) {
        first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask, b_.getTrue());
        last = b_.CreateSub(last, b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, mask, b_.getTrue()));
    }
    Value* const low = b_.CreateZExt(b_.CreateExtractElement(lanes, first), i64);
    Value* const bytes = b_.getInt64(access.bytes);
    auto const all_equal = [&](Value* values) {
        Value* const splat = b_.CreateVectorSplat(32, b_.CreateExtractElement(values, first));
        Value* const differs = b_.CreateBitCast(b_.CreateICmpNE(values, splat), b_.getInt32Ty());
        return b_.CreateICmpEQ(is_full ? differs : b_.CreateAnd(differs, mask), b_.getInt32(0));
    };
    auto const is_inside = [&](Value* past_high) {
        Value* ok =
            b_.CreateAnd(b_.CreateICmpULT(low, past_high),
                         b_.CreateICmpEQ(b_.CreateAnd(low, b_.getInt64(access.bytes - 1)), b_.getInt64(0)));
        if (access.space == SpaceKind::shared) {
            Value* const limit = state_member(offsetof(CompiledState, shared_bytes), i64);
            return b_.CreateAnd(ok, b_.CreateICmpULE(past_high, limit));
        }
        Value* const allocation = state_member(offsetof(CompiledState, last), b_.getPtrTy());
        Value* const begin =
            b_.CreateLoad(i64, b_.CreateConstGEP1_64(b_.getInt8Ty(), allocation, offsetof(Allocation, begin)));
        Value* const end =
            b_.CreateLoad(i64, b_.CreateConstGEP1_64(b_.getInt8Ty(), allocation, offsetof(Allocation, end)));
        ok = b_.CreateAnd(ok, b_.CreateAnd(b_.CreateICmpUGE(low, begin), b_.CreateICmpULE(past_high, end)));
        if (access.space != SpaceKind::generic) return ok;
        Value* const below =
            b_.CreateICmpULE(past_high, state_member(offsetof(CompiledState, windows_begin), i64));
        Value* const above = b_.CreateICmpUGE(low, state_member(offsetof(CompiledState, windows_end), i64));
        return b_.CreateAnd(ok, b_.CreateOr(below, above));
    };
    Value* const start = access.space == SpaceKind::shared
                             ? b_.CreateAdd(low, state_member(offsetof(CompiledState, shared), i64))
                             : low;
    bool const is_store = op.kind == OpKind::store;
    llvm::BasicBlock* const not_line = is_store || access.is_at_one_place ? slow : new_block("not_line");
    if (!access.is_at_one_place) {
        std::vector<llvm::Constant*> steps;
        for (std::uint64_t i = 0; i < 32; ++i) steps.push_back(llvm::ConstantInt::get(element, i * access.bytes));
        Value* const origins = b_.CreateSub(lanes, llvm::ConstantVector::get(steps));
        Value* const past_high = b_.CreateAdd(b_.CreateZExt(b_.CreateExtractElement(lanes, last), i64), bytes);
        llvm::BasicBlock* const line = new_block("line");
        b_.CreateCondBr(b_.CreateAnd(all_equal(origins), is_inside(past_high)), line, not_line);
        b_.SetInsertPoint(line);
        Value* const lane_zero =
            is_full ? start : b_.CreateSub(start, b_.CreateMul(b_.CreateZExt(first, i64), bytes));
        move_contiguous(op, access, lane_zero, mask, is_full);
        if (is_store) {
            count_to_memory(b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, offsetof(CompiledState, changes)),
                            b_.getInt64(1));
        }
        b_.CreateBr(done);
    }
    if (is_store) {
        if (access.is_at_one_place) b_.CreateBr(slow);
        return;
    }
    if (!access.is_at_one_place) b_.SetInsertPoint(not_line);
    llvm::BasicBlock* const uniform = new_block("uniform");
    Value* const is_same = access.is_at_one_place ? b_.getTrue() : all_equal(lanes);
    b_.CreateCondBr(b_.CreateAnd(is_same, is_inside(b_.CreateAdd(low, bytes))), uniform, slow);
    b_.SetInsertPoint(uniform);
    llvm::Type* const memory = b_.getIntNTy(8u << access.memory_log2);
    for (std::size_t i = 0; i < access.elements; ++i) {
        if (access.data[i] == discard) continue;
        Value* const at =
            b_.CreateIntToPtr(b_.CreateAdd(start, b_.getInt64(i << access.memory_log2)), b_.getPtrTy());
        Value* const value = b_.CreateAlignedLoad(memory, at, llvm::Align(std::uint64_t{1} << access.memory_log2));
        set_loaded(access, i, b_.CreateVectorSplat(32, value), mask, is_guarded);
    }
    b_.CreateBr(done);
}

/// The lanes' bytes follow one another.
void FunctionEmitter::move_contiguous(Op const& op, Access const& access, Value* address, Value* mask,
                                      bool is_full) {
    unsigned const elements = access.elements;
    llvm::Type* const memory = b_.getIntNTy(8u << access.memory_log2);
    auto* const type = llvm::FixedVectorType::get(memory, 32 * elements);
    llvm::Align const align(std::uint64_t{1} << access.memory_log2);
    Value* const at = b_.CreateIntToPtr(address, b_.getPtrTy());
    // A lane's bit for each of its elements.
    Value* lanes = is_full ? nullptr : bits(mask);
    if (lanes != nullptr && elements > 1) {
        std::vector<int> repeated;
        for (unsigned i = 0; i < 32 * elements; ++i) repeated.push_back(static_cast<int>(i / elements));
        lanes = b_.CreateShuffleVector(lanes, repeated);
    }
    if (op.kind == OpKind::load) {
        Value* const loaded = is_full ? static_cast<Value*>(b_.CreateAlignedLoad(type, at, align))
                                      : b_.CreateMaskedLoad(type, at, align, lanes);
        for (unsigned e = 0; e < elements; ++e) {
            if (access.data[e] == discard) continue;
            std::vector<int> own;
            for (unsigned i = 0; i < 32; ++i) own.push_back(static_cast<int>(i * elements + e));
            Value* const value = elements == 1 ? loaded : b_.CreateShuffleVector(loaded, own);
            set_loaded(access, e, value, mask, !is_full);
        }
        return;
    }
    std::vector<Value*> parts;
    for (unsigned e = 0; e < elements; ++e) {
        Value* const column = read({access.data[e], access.column_log2[e]});
        parts.push_back(b_.CreateTrunc(column, llvm::FixedVectorType::get(memory, 32)));
    }
    Value* whole = parts[0];
    if (elements > 1) {
        auto const join = [&](Value* a, Value* b, std::vector<int> const& order) {
            return b_.CreateShuffleVector(a, b, order);
        };
        std::vector<int> next;
        for (int i = 0; i < 64; ++i) next.push_back(i);
        Value* const low = join(parts[0], parts[1], next);
        std::vector<int> order;
        if (elements == 2) {
            for (int i = 0; i < 64; ++i) order.push_back(i / 2 + i % 2 * 32);
            whole = b_.CreateShuffleVector(low, order);
        } else {
            Value* const high = join(parts[2], parts[3], next);
            for (int i = 0; i < 128; ++i) order.push_back(i / 4 + i % 4 * 32);
            whole = join(low, high, order);
        }
    }
    if (is_full) b_.CreateAlignedStore(whole, at, align);
    else b_.CreateMaskedStore(whole, at, align, lanes);
}

/// `lanes` are as wide as in memory.
void FunctionEmitter::set_loaded(Access const& access, std::size_t element, Value* lanes, Value* mask,
                                 bool is_guarded) {
    LaneOperand const to{access.data[element], access.column_log2[element]};
    llvm::Type* const type = column_type(module_.getContext(), to.log2);
    Value* const value = access.is_signed ? b_.CreateSExt(lanes, type) : b_.CreateZExt(lanes, type);
    write(to, value, mask, is_guarded && !is_full_mask(mask));
}

void FunctionEmitter::emit_slow_access(std::uint32_t index, Access const& access, Value* mask, bool is_guarded) {
    Op const& op = function_.ops[index];
    std::vector<LaneOperand> data;
    for (std::size_t i = 0; i < access.elements; ++i) {
        if (access.data[i] != discard) data.push_back({access.data[i], access.column_log2[i]});
    }
    auto const put = [&](Slot slot) {
        auto const column = flow_.column_of.find(slot);
        if (is_in_frame(slot, isa::Base::frame) && column != flow_.column_of.end()) store_column(column->second);
    };
    put(access.address);
    if (op.kind == OpKind::store) {
        for (LaneOperand const& column : data) put(column.slot);
    }
    auto* const type =
        llvm::FunctionType::get(b_.getInt1Ty(), {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty()}, false);
    auto* const failed = b_.CreateCall(type, state_member(offsetof(CompiledState, access), b_.getPtrTy()),
                                       {state_, b_.getInt32(index), mask});
    failed->addRetAttr(llvm::Attribute::ZExt);
    llvm::BasicBlock* const performed = new_block("performed");
    ColumnSet const nothing(flow_.columns.size());
    b_.CreateCondBr(failed, exit_block(index, CompiledExit::failed, nothing, nothing), performed,
                    llvm::MDBuilder(module_.getContext()).createBranchWeights(1, 1000000));
    b_.SetInsertPoint(performed);
    if (op.kind == OpKind::store) return;
    for (LaneOperand const& column : data) {
        llvm::Type* const held = column_type(module_.getContext(), column.log2);
        Value* const loaded = b_.CreateAlignedLoad(held, column_address(column.slot), llvm::Align(64));
        write(column, loaded, mask, is_guarded || !all_);
    }
}

}  // namespace warpsim::sim
