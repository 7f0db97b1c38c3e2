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
    llvm::Type* const element = llvm::cast<llvm::VectorType>(lanes->getType())->getElementType();
    Value* const of_first = b_.CreateExtractElement(lanes, first);
    Value* const between = b_.CreateMul(b_.CreateZExtOrTrunc(b_.CreateSub(last, first), element),
                                        llvm::ConstantInt::get(element, access.bytes));
    Value* const distance = b_.CreateSub(b_.CreateExtractElement(lanes, last), of_first);
    Value* const low = b_.CreateZExt(of_first, b_.getInt64Ty());
    find_reach(site, low);

    if (options_.is_brief && !all_) return call_anywhere(site, lanes);
    // Where the others would have to be: one comparison does for both.
    llvm::BasicBlock* const maybe = new_block("maybe");
    llvm::BasicBlock* const pattern = new_block("pattern");
    llvm::BasicBlock* const line = new_block("line");
    llvm::BasicBlock* const one_place = new_block("one_place");
    llvm::BasicBlock* const anywhere = new_block("anywhere");
    Value* const is_line = b_.CreateICmpEQ(distance, between);
    Value* const is_place = b_.CreateICmpEQ(distance, llvm::ConstantInt::get(element, 0));
    b_.CreateCondBr(b_.CreateOr(is_line, is_place), maybe, anywhere);
    b_.SetInsertPoint(maybe);
    std::vector<llvm::Constant*> steps;
    for (std::uint64_t i = 0; i < 32; ++i) steps.push_back(llvm::ConstantInt::get(element, i * access.bytes));
    Value* const if_line = b_.CreateSExt(is_line, element);
    Value* lane_zero = of_first;
    if (!is_full) {
        Value* const before = b_.CreateZExtOrTrunc(first, element);
        Value* const skipped = b_.CreateMul(before, llvm::ConstantInt::get(element, access.bytes));
        lane_zero = b_.CreateSub(of_first, b_.CreateAnd(skipped, if_line));
    }
    Value* const steps_taken = b_.CreateAnd(llvm::ConstantVector::get(steps), splat(if_line));
    Value* const others = b_.CreateNot(b_.CreateICmpEQ(lanes, b_.CreateAdd(splat(lane_zero), steps_taken)));
    Value* const differ = b_.CreateBitCast(others, b_.getInt32Ty());
    Value* const any_differs = is_full ? differ : b_.CreateAnd(differ, site.mask);
    b_.CreateCondBr(b_.CreateICmpEQ(any_differs, b_.getInt32(0)), pattern, anywhere);
    b_.SetInsertPoint(pattern);
    b_.CreateCondBr(is_line, line, one_place);

    LaneShapeList const before = now_;
    b_.SetInsertPoint(line);
    // Few hosts can switch off lanes of such numbers.
    if (!is_full && access.memory_log2 < 2 && !options_.has_masks) b_.CreateBr(anywhere);
    else move_line(site, low, b_.CreateZExt(between, b_.getInt64Ty()), first);
    now_ = before;
    b_.SetInsertPoint(one_place);
    move_at_one_place(site, low);
    now_ = before;
    b_.SetInsertPoint(anywhere);
    if (!has_gathers(site)) return call_anywhere(site, lanes);
    move_anywhere(site, is_full ? lanes : b_.CreateSelect(bits(site.mask), lanes, splat(of_first)));
}

/// The host moves elements of any addresses by one instruction, as far as that pays.
bool FunctionEmitter::has_gathers(AccessSite const& site) const {
    return options_.has_masks && (all_ || !options_.is_brief) && site.access.memory_log2 >= 2;
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

/// By a function (sim/exec/code_scattered.cpp), which finds lines, too: without gathers it takes as long, and the code for it would
/// be most of a kernel's.
void FunctionEmitter::call_anywhere(AccessSite const& site, Value* lanes) {
    Access const& access = site.access;
    constexpr std::uint64_t column_bytes = 256;
    auto* const area = llvm::ArrayType::get(b_.getInt8Ty(), 5 * column_bytes);
    Value* const values = place(scattered_, area);
    llvm::cast<llvm::AllocaInst>(values)->setAlignment(llvm::Align(64));
    auto const at = [&](std::uint64_t element) {
        return b_.CreateConstGEP1_64(b_.getInt8Ty(), values, column_bytes * (1 + element));
    };
    llvm::Align const align(64);
    Value* const addresses = b_.CreateZExt(lanes, column_type(module_.getContext(), 3));
    b_.CreateAlignedStore(addresses, values, align);
    for (unsigned i = 0; site.op.kind == OpKind::store && i < access.elements; ++i) {
        if (access.data[i] != discard)
            b_.CreateAlignedStore(read({access.data[i], access.column_log2[i]}), at(i), align);
    }
    auto* const type = llvm::FunctionType::get(
        b_.getInt1Ty(), {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty(), b_.getPtrTy()}, false);
    auto* const moved = b_.CreateCall(type, state_member(offsetof(CompiledState, scattered), b_.getPtrTy()),
                                      {state_, b_.getInt32(site.index), site.mask, values});
    moved->addRetAttr(llvm::Attribute::ZExt);
    llvm::BasicBlock* const good = new_block("moved");
    b_.CreateCondBr(moved, good, site.slow);
    b_.SetInsertPoint(good);
    for (unsigned i = 0; site.op.kind == OpKind::load && i < access.elements; ++i) {
        if (access.data[i] == discard) continue;
        LaneOperand const to{access.data[i], access.column_log2[i]};
        Value* const loaded = b_.CreateAlignedLoad(column_type(module_.getContext(), to.log2), at(i), align);
        write(to, loaded, site.mask, site.is_guarded);
    }
    bool const is_narrow = access.space == SpaceKind::shared && !access.address_is_64;
    count_lanes(site, is_narrow ? lanes : addresses);
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
