// Loads and stores: where they may go, and what is left to MemoryAccess. Native code accesses only bytes that are inside of
// one allocation, which was accessed here before, of the CTA's shared memory, or of the threads' own memory; everything
// else, faults included, is left to MemoryAccess. Patterns of addresses that are known when code is made are in emit_rows.cpp, others in
// emit_patterns.cpp.
#include "sim/compiled/llvm/function_emitter.hpp"

#include "sim/memory/reservation.hpp"

#include <cstddef>

namespace warpsim::sim {

namespace {

bool is_own_memory(Access const& access) {
    return access.space == SpaceKind::local || access.space == SpaceKind::frame_param;
}

bool may_be_fast(Op const& op, Access const& access) {
    if (op.kind == OpKind::atomic) return false;
    if (access.elements != 1 && access.elements != 2 && access.elements != 4) return false;
    switch (access.space) {
        case SpaceKind::global:
        case SpaceKind::generic:
        case SpaceKind::constant: return access.order == isa::Order::weak;
        case SpaceKind::shared:
        case SpaceKind::local:
        case SpaceKind::frame_param: return true;
        default: return false;
    }
}

}  // namespace

void FunctionEmitter::emit_access(std::uint32_t index, Value* mask, bool is_guarded) {
    Op const& op = function_.ops[index];
    AccessSite site{op, function_.accesses[op.target], index, mask, is_guarded, result_shape(index)};
    site.done = new_block("done");
    site.slow = new_block("slow");
    if (is_guarded) {
        // Whether it is skipped or not, what it writes then has the same shape.
        for (std::uint32_t const column : flow_.ops[index].writes) change_shape(column, LaneShape::any);
        llvm::BasicBlock* const some = new_block("some");
        b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(0)), site.done, some);
        b_.SetInsertPoint(some);
    }
    LaneShapeList const before = now_;
    if (may_be_fast(op, site.access)) {
        LaneShape const address = shape(address_of(site.access));
        if (is_own_memory(site.access)) emit_own_memory(site);
        else if (address == LaneShape::uniform || site.access.is_at_one_place) emit_one_place(site);
        else if (address == LaneShape::linear) emit_rows(site);
        else emit_patterns(site);
    } else {
        b_.CreateBr(site.slow);
    }
    now_ = before;
    b_.SetInsertPoint(site.slow);
    emit_slow_access(site);
    b_.CreateBr(site.done);
    b_.SetInsertPoint(site.done);
}

LaneOperand FunctionEmitter::address_of(Access const& access) {
    return {access.address, static_cast<std::uint8_t>(access.address_is_64 || access.is_at_one_place ? 3 : 2)};
}

// ---- checks ----------------------------------------------------------------------------------------------------

/// Finds where the access may go without asking. Generic addresses are all in the space in which `address` is, or the
/// access is not done here.
void FunctionEmitter::find_reach(AccessSite& site, Value* address) {
    llvm::Type* const i64 = b_.getInt64Ty();
    Value* const shared_bytes = state_member(offsetof(CompiledState, shared_bytes), i64);
    Value* const shared = state_member(offsetof(CompiledState, shared), i64);
    if (site.access.space == SpaceKind::shared) {
        site.reach = {b_.getInt64(0), shared_bytes, shared};
        return;
    }
    Value* const known =
        b_.CreateConstGEP1_64(b_.getInt8Ty(), state_member(offsetof(CompiledState, places), b_.getPtrTy()),
                              std::uint64_t{site.index} * sizeof(Allocation));
    auto const member = [&](std::size_t offset) {
        return b_.CreateLoad(i64, b_.CreateConstGEP1_64(b_.getInt8Ty(), known, offset));
    };
    Value* const begin = member(offsetof(Allocation, begin));
    site.reach = {begin, b_.CreateSub(member(offsetof(Allocation, end)), begin), b_.getInt64(0)};
    if (site.access.space != SpaceKind::generic) return;
    Value* const window = state_member(offsetof(CompiledState, shared_window), i64);
    Value* const is_shared = b_.CreateICmpULT(b_.CreateSub(address, window), b_.getInt64(window_bytes));
    site.reach = {b_.CreateSelect(is_shared, window, begin),
                  b_.CreateSelect(is_shared, shared_bytes, site.reach.size),
                  b_.CreateSelect(is_shared, b_.CreateSub(shared, window), site.reach.bias)};
}

/// How far from the beginning of the reach so many bytes may not begin any more.
llvm::Value* FunctionEmitter::limit(AccessSite const& site, Value* bytes) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, site.reach.size,
                                    b_.CreateSub(bytes, b_.getInt64(1)));
}
llvm::Value* FunctionEmitter::is_inside(AccessSite const& site, Value* low, Value* bytes) {
    return b_.CreateICmpULT(b_.CreateSub(low, site.reach.begin), limit(site, bytes));
}
llvm::Value* FunctionEmitter::is_aligned(AccessSite const& site, Value* address) {
    llvm::Type* const type = address->getType();
    Value* const low_bits = llvm::ConstantInt::get(type, site.access.bytes - 1);
    return b_.CreateICmpEQ(b_.CreateAnd(address, low_bits), llvm::ConstantInt::get(type, 0));
}

/// Where that is in the memory of the host.
llvm::Value* FunctionEmitter::host_place(AccessSite const& site, Value* address) {
    return b_.CreateIntToPtr(b_.CreateAdd(address, site.reach.bias), b_.getPtrTy());
}

// ---- moving values ---------------------------------------------------------------------------------------------

/// The lanes' bytes follow one another, in all pieces together. `masked`: which lanes may touch memory; null: all.
void FunctionEmitter::move_contiguous(AccessSite const& site, std::vector<Value*> const& pieces, Value* masked) {
    Access const& access = site.access;
    auto const elements = static_cast<unsigned>(access.elements);
    unsigned const count = 32 * elements / static_cast<unsigned>(pieces.size());  // of elements, in a piece
    auto* const type = llvm::FixedVectorType::get(b_.getIntNTy(8u << access.memory_log2), count);
    llvm::Align const align(std::uint64_t{1} << access.memory_log2);
    // A lane's bit for each of its elements.
    auto const mask_of = [&](std::size_t piece) {
        std::vector<int> repeated;
        for (unsigned i = 0; i < count; ++i)
            repeated.push_back(static_cast<int>((static_cast<unsigned>(piece) * count + i) / elements));
        return b_.CreateShuffleVector(masked, repeated);
    };
    if (site.op.kind == OpKind::load) {
        std::vector<Value*> loaded;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            loaded.push_back(masked == nullptr ? static_cast<Value*>(b_.CreateAlignedLoad(type, pieces[i], align))
                                               : b_.CreateMaskedLoad(type, pieces[i], align, mask_of(i)));
        }
        Value* const whole = loaded.size() == 1 ? loaded[0] : joined(loaded[0], loaded[1]);
        for (unsigned e = 0; e < elements; ++e) {
            if (access.data[e] == discard) continue;
            std::vector<int> own;
            for (unsigned i = 0; i < 32; ++i) own.push_back(static_cast<int>(i * elements + e));
            set_loaded(site, e, elements == 1 ? whole : b_.CreateShuffleVector(whole, own));
        }
        return;
    }
    Value* const whole = data_in_memory_order(access);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        std::vector<int> own;
        for (unsigned e = 0; e < count; ++e) own.push_back(static_cast<int>(static_cast<unsigned>(i) * count + e));
        Value* const piece = pieces.size() == 1 ? whole : b_.CreateShuffleVector(whole, own);
        if (masked == nullptr) b_.CreateAlignedStore(piece, pieces[i], align);
        else b_.CreateMaskedStore(piece, pieces[i], align, mask_of(i));
    }
}

llvm::Value* FunctionEmitter::data_in_memory_order(Access const& access) {
    auto* const type = llvm::FixedVectorType::get(b_.getIntNTy(8u << access.memory_log2), 32);
    std::vector<Value*> parts;
    for (unsigned e = 0; e < access.elements; ++e)
        parts.push_back(b_.CreateTrunc(read({access.data[e], access.column_log2[e]}), type));
    if (parts.size() == 1) return parts[0];
    Value* whole = joined(parts[0], parts[1]);
    if (parts.size() == 4) whole = joined(whole, joined(parts[2], parts[3]));
    std::vector<int> order;
    auto const elements = static_cast<int>(parts.size());
    for (int i = 0; i < 32 * elements; ++i) order.push_back(i / elements + i % elements * 32);
    return b_.CreateShuffleVector(whole, order);
}

/// As wide as in memory: to the width of the column.
llvm::Value* FunctionEmitter::extended(Access const& access, Value* loaded, llvm::Type* type) {
    return access.is_signed ? b_.CreateSExt(loaded, type) : b_.CreateZExt(loaded, type);
}
void FunctionEmitter::set_loaded(AccessSite const& site, std::size_t element, Value* lanes) {
    LaneOperand const to{site.access.data[element], site.access.column_log2[element]};
    Value* const value = extended(site.access, lanes, column_type(module_.getContext(), to.log2));
    write(to, value, site.mask, site.is_guarded);
}

/// Behind what has moved everything.
void FunctionEmitter::finish_fast(AccessSite const& site) {
    if (site.op.kind == OpKind::store) {
        std::size_t const changes =
            is_own_memory(site.access) ? offsetof(CompiledState, own_changes) : offsetof(CompiledState, changes);
        count_to_memory(b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, changes), b_.getInt64(1));
    }
    b_.CreateBr(site.done);
}

// ---- everything else -------------------------------------------------------------------------------------------

void FunctionEmitter::emit_slow_access(AccessSite const& site) {
    store_columns(flow_.ops[site.index].reads);
    auto* const type =
        llvm::FunctionType::get(b_.getInt1Ty(), {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty()}, false);
    auto* const failed = b_.CreateCall(type, state_member(offsetof(CompiledState, access), b_.getPtrTy()),
                                       {state_, b_.getInt32(site.index), site.mask});
    failed->addRetAttr(llvm::Attribute::ZExt);
    llvm::BasicBlock* const performed = new_block("performed");
    ColumnSet const nothing(flow_.columns.size());
    b_.CreateCondBr(failed, exit_block(site.index, CompiledExit::failed, nothing, nothing), performed, rarely());
    b_.SetInsertPoint(performed);
    for (std::uint32_t const written : flow_.ops[site.index].writes) {
        LaneOperand const& column = flow_.columns[written];
        llvm::Type* const held = column_type(module_.getContext(), column.log2);
        Value* const loaded = b_.CreateAlignedLoad(held, column_address(column.slot), llvm::Align(64));
        if (site.result == LaneShape::uniform) {
            // Lane 0 may be one that has taken another way.
            Value* first = b_.getInt32(0);
            if (!is_full_mask(site.mask))
                first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, site.mask, b_.getTrue());
            write_uniform(column, b_.CreateExtractElement(loaded, first));
        } else write(column, loaded, site.mask, site.is_guarded || !all_);
    }
}

}  // namespace warpsim::sim
