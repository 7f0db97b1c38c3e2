// Loads and stores at addresses that are the same in all lanes or linear: checked and moved by a few numbers, for two rows
// of 16 lanes that may be anywhere.
#include "sim/compiled/llvm/function_emitter.hpp"

namespace warpsim::sim {

/// Of lane 0, in 64 bits; a register of 32 bits wraps around there.
llvm::Value* FunctionEmitter::address_at(Access const& access, Value* in_register) {
    Value* const offset =
        llvm::ConstantInt::get(in_register->getType(), static_cast<std::uint64_t>(access.offset));
    return b_.CreateZExt(b_.CreateAdd(in_register, offset), b_.getInt64Ty());
}

void FunctionEmitter::emit_one_place(AccessSite& site) {
    Value* const address = address_at(site.access, read_first(address_of(site.access)));
    find_reach(site, address);
    move_at_one_place(site, address);
}

/// All lanes at one address. Of a store, what the highest lane has remains.
void FunctionEmitter::move_at_one_place(AccessSite const& site, Value* address) {
    Access const& access = site.access;
    Value* const is_good =
        b_.CreateAnd(is_aligned(site, address), is_inside(site, address, b_.getInt64(access.bytes)));
    llvm::BasicBlock* const good = new_block("good");
    b_.CreateCondBr(is_good, good, site.slow);
    b_.SetInsertPoint(good);
    Value* const at = host_place(site, address);
    llvm::Type* const memory = b_.getIntNTy(8u << access.memory_log2);
    llvm::Align const align(std::uint64_t{1} << access.memory_log2);
    Value* highest = b_.getInt32(31);
    if (!is_full_mask(site.mask))
        highest = b_.CreateSub(highest, b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, site.mask, b_.getTrue()));
    for (std::size_t i = 0; i < access.elements; ++i) {
        if (access.data[i] == discard) continue;
        Value* const place = b_.CreateConstGEP1_64(memory, at, i);
        LaneOperand const data{access.data[i], access.column_log2[i]};
        if (site.op.kind == OpKind::store) {
            Value* const value = shape(data) == LaneShape::uniform ? read_first(data)
                                                                   : b_.CreateExtractElement(read(data), highest);
            b_.CreateAlignedStore(b_.CreateTrunc(value, memory), place, align);
            continue;
        }
        Value* const value = b_.CreateAlignedLoad(memory, place, align);
        if (site.result == LaneShape::uniform)
            write_uniform(data, extended(access, value, element_type(module_.getContext(), data.log2)));
        else set_loaded(site, i, splat(value));
    }
    count_one_place(site, address);
    finish_fast(site);
}

/// Two rows, each of which is a line or one place. A guard that lanes do not pass switches off stores: what a row's other
/// lanes would load is there to be loaded, or the access is not done here.
void FunctionEmitter::emit_rows(AccessSite& site) {
    Access const& access = site.access;
    LaneOperand const operand = address_of(access);
    Value* const first = read_first(operand);
    auto const [step, row_step] = read_steps(operand);
    std::array<Value*, 2> const rows{address_at(access, first), address_at(access, b_.CreateAdd(first, row_step))};
    find_reach(site, rows[0]);
    auto const check = [&](std::uint64_t bytes, char const* name) {
        Value* good = is_aligned(site, b_.CreateOr(rows[0], rows[1]));
        for (Value* const row : rows) good = b_.CreateAnd(good, is_inside(site, row, b_.getInt64(bytes)));
        llvm::BasicBlock* const then = new_block(name);
        b_.CreateCondBr(good, then, site.slow);
        b_.SetInsertPoint(then);
    };
    bool const is_store = site.op.kind == OpKind::store;
    llvm::BasicBlock* const lines = new_block("lines");
    llvm::BasicBlock* const not_lines = is_store ? site.slow : new_block("not_lines");
    Value* const bytes = llvm::ConstantInt::get(step->getType(), access.bytes);
    b_.CreateCondBr(b_.CreateICmpEQ(step, bytes), lines, not_lines);
    b_.SetInsertPoint(lines);
    check(std::uint64_t{row_lanes} * access.bytes, "move_lines");
    Value* const masked = is_store && !is_full_mask(site.mask) ? bits(site.mask) : nullptr;
    LaneShapeList const before = now_;
    move_contiguous(site, {host_place(site, rows[0]), host_place(site, rows[1])}, masked);
    count_rows(site, rows, true);
    finish_fast(site);
    if (is_store) return;

    now_ = before;
    b_.SetInsertPoint(not_lines);
    llvm::BasicBlock* const places = new_block("places");
    b_.CreateCondBr(b_.CreateICmpEQ(step, llvm::ConstantInt::get(step->getType(), 0)), places, site.slow);
    b_.SetInsertPoint(places);
    check(access.bytes, "move_places");
    llvm::Type* const memory = b_.getIntNTy(8u << access.memory_log2);
    for (std::size_t i = 0; i < access.elements; ++i) {
        if (access.data[i] == discard) continue;
        auto const loaded = [&](Value* row) {
            Value* const place = b_.CreateConstGEP1_64(memory, host_place(site, row), i);
            return splat(b_.CreateAlignedLoad(memory, place, llvm::Align(std::uint64_t{1} << access.memory_log2)),
                         row_lanes);
        };
        Value* const low = loaded(rows[0]);
        set_loaded(site, i, joined(low, loaded(rows[1])));
    }
    count_rows(site, rows, false);
    finish_fast(site);
}

}  // namespace warpsim::sim
