// Loads and stores at addresses that may be anywhere: a line (lane i at first + i * bytes) and one place are recognised when
// they are there; else each lane's element is moved by itself.
#include "sim/compiled/llvm/function_emitter.hpp"

#include <cstddef>

namespace warpsim::sim {

/// The addresses of the lowest and the highest lane tell what the others may be.
void FunctionEmitter::emit_patterns(AccessSite& site) {
    Access const& access = site.access;
    bool const is_full = is_full_mask(site.mask);
    Value* const lanes = lane_addresses(site);
    Value *first = b_.getInt32(0), *last = b_.getInt32(31);
    if (!is_full) {
        first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, site.mask, b_.getTrue());
        last = b_.CreateSub(last, b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, site.mask, b_.getTrue()));
    }
    auto const are_all = [&](Value* is_so) {
        Value* const others = b_.CreateBitCast(b_.CreateNot(is_so), b_.getInt32Ty());
        return b_.CreateICmpEQ(is_full ? others : b_.CreateAnd(others, site.mask), b_.getInt32(0));
    };
    llvm::Type* const element = llvm::cast<llvm::VectorType>(lanes->getType())->getElementType();
    Value* const of_first = b_.CreateExtractElement(lanes, first);
    Value* const between = b_.CreateMul(b_.CreateZExtOrTrunc(b_.CreateSub(last, first), element),
                                        llvm::ConstantInt::get(element, access.bytes));
    Value* const distance = b_.CreateSub(b_.CreateExtractElement(lanes, last), of_first);
    Value* const low = b_.CreateZExt(of_first, b_.getInt64Ty());
    find_reach(site, low);

    llvm::BasicBlock* const maybe_line = new_block("maybe_line");
    llvm::BasicBlock* const not_line = new_block("not_line");
    llvm::BasicBlock* const maybe_place = new_block("maybe_place");
    llvm::BasicBlock* const line = new_block("line");
    llvm::BasicBlock* const one_place = new_block("one_place");
    llvm::BasicBlock* const anywhere = options_.is_brief ? site.slow : new_block("anywhere");
    b_.CreateCondBr(b_.CreateICmpEQ(distance, between), maybe_line, not_line);
    b_.SetInsertPoint(not_line);
    b_.CreateCondBr(b_.CreateICmpEQ(distance, llvm::ConstantInt::get(element, 0)), maybe_place, anywhere);
    b_.SetInsertPoint(maybe_line);
    std::vector<llvm::Constant*> steps;
    for (std::uint64_t i = 0; i < 32; ++i) steps.push_back(llvm::ConstantInt::get(element, i * access.bytes));
    Value* lane_zero = of_first;
    if (!is_full) {
        Value* const before = b_.CreateZExtOrTrunc(first, element);
        lane_zero = b_.CreateSub(of_first, b_.CreateMul(before, llvm::ConstantInt::get(element, access.bytes)));
    }
    Value* const expected = b_.CreateAdd(splat(lane_zero), llvm::ConstantVector::get(steps));
    b_.CreateCondBr(are_all(b_.CreateICmpEQ(lanes, expected)), line, anywhere);
    b_.SetInsertPoint(maybe_place);
    b_.CreateCondBr(are_all(b_.CreateICmpEQ(lanes, splat(of_first))), one_place, anywhere);

    LaneShapeList const before = now_;
    b_.SetInsertPoint(line);
    move_line(site, low, b_.CreateZExt(between, b_.getInt64Ty()), first);
    now_ = before;
    b_.SetInsertPoint(one_place);
    move_at_one_place(site, low);
    if (options_.is_brief) return;
    now_ = before;
    b_.SetInsertPoint(anywhere);
    move_anywhere(site, is_full ? lanes : b_.CreateSelect(bits(site.mask), lanes, splat(of_first)));
}

/// As wide as the register: a register of 32 bits wraps around there.
llvm::Value* FunctionEmitter::lane_addresses(AccessSite const& site) {
    Value* const column = read(address_of(site.access));
    llvm::Type* const element = llvm::cast<llvm::VectorType>(column->getType())->getElementType();
    Value* const offset = llvm::ConstantInt::get(element, static_cast<std::uint64_t>(site.access.offset));
    return b_.CreateAdd(column, splat(offset));
}

/// `low`: of the lane `first`, from which the highest lane is `between` bytes away.
void FunctionEmitter::move_line(AccessSite const& site, Value* low, Value* between, Value* first) {
    Value* const bytes = b_.getInt64(site.access.bytes);
    llvm::BasicBlock* const move = new_block("move_line");
    b_.CreateCondBr(b_.CreateAnd(is_aligned(site, low), is_inside(site, low, b_.CreateAdd(between, bytes))), move,
                    site.slow);
    b_.SetInsertPoint(move);
    bool const is_full = is_full_mask(site.mask);
    Value* const skipped = b_.CreateMul(b_.CreateZExt(first, b_.getInt64Ty()), bytes);
    Value* const lane_zero = b_.CreateSub(low, skipped);
    move_contiguous(site, {host_place(site, lane_zero)}, is_full ? nullptr : bits(site.mask));
    count_line(site, low, between, lane_zero);
    finish_fast(site);
}

/// All addresses are checked as vectors before anything moves: how far each is behind the beginning, and how far before the
/// end, is not negative. Lanes that are switched off have an address of one that is not.
void FunctionEmitter::check_anywhere(AccessSite const& site, Value* lanes, Value* behind) {
    llvm::Type* const element = llvm::cast<llvm::VectorType>(behind->getType())->getElementType();
    Value* const last = b_.CreateSub(limit(site, b_.getInt64(site.access.bytes)), b_.getInt64(1));
    Value* const before = b_.CreateSub(splat(b_.CreateTrunc(last, element)), behind);
    Value* const outside = b_.CreateOrReduce(b_.CreateOr(behind, before));
    Value* is_good = b_.CreateICmpSGE(outside, llvm::ConstantInt::get(element, 0));
    if (site.access.bytes > 1) is_good = b_.CreateAnd(is_good, is_aligned(site, b_.CreateOrReduce(lanes)));
    llvm::BasicBlock* const move = new_block("move_anywhere");
    b_.CreateCondBr(is_good, move, site.slow);
    b_.SetInsertPoint(move);
}

void FunctionEmitter::move_anywhere(AccessSite const& site, Value* lanes) {
    Access const& access = site.access;
    bool const is_narrow = access.space == SpaceKind::shared && !access.address_is_64;
    llvm::Type* const element = is_narrow ? b_.getInt32Ty() : b_.getInt64Ty();
    Value* const places = b_.CreateZExt(lanes, llvm::FixedVectorType::get(element, 32));
    Value* const behind = b_.CreateSub(places, splat(b_.CreateTrunc(site.reach.begin, element)));
    check_anywhere(site, places, behind);
    // The distance is not negative, so it may be widened either way: the host's own gathers extend the sign.
    Value* const distance = b_.CreateSExt(behind, column_type(module_.getContext(), 3));
    Value* const at = b_.CreateGEP(b_.getInt8Ty(), host_place(site, site.reach.begin), distance);
    auto* const type = llvm::FixedVectorType::get(b_.getIntNTy(8u << access.memory_log2), 32);
    for (unsigned i = 0; i < access.elements; ++i) {
        if (access.data[i] == discard) continue;
        Value* const places_of_element = b_.CreateGEP(type->getElementType(), at, b_.getInt64(i));
        if (site.op.kind == OpKind::load) {
            set_loaded(site, i, move_elements(site, type, places_of_element, nullptr));
        } else {
            Value* const data = b_.CreateTrunc(read({access.data[i], access.column_log2[i]}), type);
            move_elements(site, type, places_of_element, data);
        }
    }
    count_lanes(site, places);
    finish_fast(site);
}

/// Returns what it loads, or stores `data`: in the order of lanes, so that if several write to one address, the value of
/// the highest remains.
llvm::Value* FunctionEmitter::move_elements(AccessSite const& site, llvm::FixedVectorType* type, Value* at,
                                            Value* data) {
    llvm::Align const align(type->getScalarSizeInBits() / 8);
    if (data == nullptr) return b_.CreateMaskedGather(type, at, align);
    // Without branches: what lanes that are switched off would store goes nowhere.
    if (!is_full_mask(site.mask))
        at = b_.CreateSelect(bits(site.mask), at, splat(place(nowhere_, b_.getInt64Ty())));
    return b_.CreateMaskedScatter(data, at, align);
}

}  // namespace warpsim::sim
