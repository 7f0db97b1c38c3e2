// Accesses as statistics count them: what the usual patterns of addresses touch follows from a few numbers, as
// sim/exec/lanes/transactions.hpp says; the addresses of others are handed over to be counted there.
#include "sim/compiled/llvm/function_emitter.hpp"

#include <cstddef>

namespace warpsim::sim {

namespace {

constexpr std::uint32_t banks = 32;  // as there usually are

std::vector<llvm::Constant*> steps(llvm::Type* type, std::uint64_t lanes, std::uint64_t bytes) {
    std::vector<llvm::Constant*> values;
    for (std::uint64_t i = 0; i < lanes; ++i) values.push_back(llvm::ConstantInt::get(type, i * bytes));
    return values;
}

}  // namespace

bool FunctionEmitter::is_counted(AccessSite const& site) const {
    SpaceKind const space = site.access.space;
    return options_.counts &&
           (space == SpaceKind::global || space == SpaceKind::generic || space == SpaceKind::shared);
}

/// Adds a request, and the sectors or conflicts that it takes.
void FunctionEmitter::add_request(AccessSite const& site, Value* more) {
    bool const is_shared = site.access.space == SpaceKind::shared;
    auto const add = [&](std::size_t member, Value* value) {
        std::size_t const offset = offsetof(CompiledState, counts) + member;
        count_to_memory(b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, offset), value);
    };
    add(is_shared ? offsetof(MemoryCounts, shared_requests) : offsetof(MemoryCounts, global_requests),
        b_.getInt64(1));
    if (more == nullptr) return;
    add(is_shared ? offsetof(MemoryCounts, shared_bank_conflicts) : offsetof(MemoryCounts, global_sectors),
        b_.CreateZExt(more, b_.getInt64Ty()));
}

/// All lanes' own addresses. What many patterns require is seen at once; the rest is counted by a function.
void FunctionEmitter::count_lanes(AccessSite const& site, Value* addresses) {
    if (!is_counted(site)) return;
    if (site.access.space == SpaceKind::shared && has_usual_banks() && site.access.bytes == 4) {
        auto const [are_near, conflict] = conflict_of_near(site, addresses);
        return count_if(
            site, are_near, [&, conflict = conflict] { add_request(site, conflict); }, addresses);
    }
    if (site.access.space != SpaceKind::global) return hand_addresses_over(site, addresses);
    auto const [are_ascending, sectors] = sectors_of_ascending(site, addresses);
    count_if(
        site, are_ascending, [&, sectors = sectors] { add_request(site, sectors); }, addresses);
}

/// Of 4 bytes: whether all words are among 64 that follow one another, and if so, whether two of them are in one bank, which
/// then has no third.
std::array<llvm::Value*, 2> FunctionEmitter::conflict_of_near(AccessSite const& site, Value* addresses) {
    llvm::Type* const type = column_type(module_.getContext(), 2);
    Value* const words = b_.CreateLShr(b_.CreateZExtOrTrunc(addresses, type), 2);
    Value *low = words, *high = words;
    if (!is_full_mask(site.mask)) {
        low = b_.CreateSelect(bits(site.mask), words, llvm::Constant::getAllOnesValue(type));
        high = b_.CreateSelect(bits(site.mask), words, llvm::Constant::getNullValue(type));
    }
    Value* const begin = b_.CreateIntMinReduce(low);
    Value* const is_near =
        b_.CreateICmpULT(b_.CreateSub(b_.CreateIntMaxReduce(high), begin), b_.getInt32(2 * banks));
    Value* const behind = b_.CreateSub(low, splat(begin));
    // A bit for each bank, as far as the words are among the 32 from there on.
    auto const used = [&](Value* from) {
        Value* const is_one = b_.CreateICmpULT(from, splat(b_.getInt32(banks)));
        Value* const bit = b_.CreateShl(splat(b_.getInt32(1)), from);
        return b_.CreateOrReduce(b_.CreateSelect(is_one, bit, llvm::Constant::getNullValue(type)));
    };
    Value* const both = b_.CreateAnd(used(behind), used(b_.CreateSub(behind, splat(b_.getInt32(banks)))));
    return {is_near, b_.CreateICmpNE(both, b_.getInt32(0))};
}

/// Whether the active lanes follow one another, none at a lower sector than the one before it; and if so, how many sectors
/// there are.
std::array<llvm::Value*, 2> FunctionEmitter::sectors_of_ascending(AccessSite const& site, Value* addresses) {
    llvm::Type* const type = column_type(module_.getContext(), 2);
    // All are in one allocation: if that is not huge, how far they are apart has 31 bits.
    constexpr std::uint64_t huge = std::uint64_t{sector_bytes} << 31;
    Value* const sectors = b_.CreateTrunc(b_.CreateLShr(addresses, 5), type);
    std::vector<int> order;
    for (int i = 0; i < 32; ++i) order.push_back(i == 0 ? 0 : i - 1);
    Value* const before = b_.CreateShuffleVector(sectors, order);
    auto const lanes = [&](Value* are_so) { return b_.CreateBitCast(are_so, b_.getInt32Ty()); };
    Value* descending = lanes(b_.CreateICmpSLT(b_.CreateSub(sectors, before), llvm::Constant::getNullValue(type)));
    Value* further = lanes(b_.CreateICmpNE(sectors, before));
    Value* is_run = b_.CreateICmpULT(site.reach.size, b_.getInt64(huge));
    if (!is_full_mask(site.mask)) {
        Value* const behind_one = b_.CreateAnd(site.mask, b_.CreateShl(site.mask, 1));
        descending = b_.CreateAnd(descending, behind_one);
        further = b_.CreateAnd(further, behind_one);
        // One lane is behind none.
        Value* const first = b_.CreateXor(site.mask, behind_one);
        Value* const others = b_.CreateAnd(first, b_.CreateSub(first, b_.getInt32(1)));
        is_run = b_.CreateAnd(is_run, b_.CreateICmpEQ(others, b_.getInt32(0)));
    }
    Value* const count = b_.CreateAdd(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, further), b_.getInt32(1));
    return {b_.CreateAnd(is_run, b_.CreateICmpEQ(descending, b_.getInt32(0))), count};
}

bool FunctionEmitter::has_usual_banks() const {
    return options_.counts->count == banks && options_.counts->width_bytes == 4;
}

void FunctionEmitter::hand_addresses_over(AccessSite const& site, Value* addresses) {
    llvm::Type* const column = column_type(module_.getContext(), 3);
    Value* const lanes = place(counted_, column);
    llvm::cast<llvm::AllocaInst>(lanes)->setAlignment(llvm::Align(64));
    b_.CreateAlignedStore(b_.CreateZExt(addresses, column), lanes, llvm::Align(64));
    auto* const type = llvm::FunctionType::get(
        b_.getVoidTy(), {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty(), b_.getPtrTy()}, false);
    b_.CreateCall(type, state_member(offsetof(CompiledState, count), b_.getPtrTy()),
                  {state_, b_.getInt32(site.index), site.mask, lanes});
}

void FunctionEmitter::count_one_place(AccessSite const& site, Value* address) {
    if (!is_counted(site)) return;
    if (site.access.space == SpaceKind::generic) return count_lanes(site, splat(address));
    add_request(site, site.access.space == SpaceKind::shared ? nullptr : b_.getInt64(1));
}

/// `low`: of the lowest lane, from which the highest is `between` bytes away.
void FunctionEmitter::count_line(AccessSite const& site, Value* low, Value* between, Value* lane_zero) {
    if (!is_counted(site)) return;
    Access const& access = site.access;
    Value* const lanes =
        b_.CreateAdd(splat(lane_zero), llvm::ConstantVector::get(steps(b_.getInt64Ty(), 32, access.bytes)));
    bool const is_shared = access.space == SpaceKind::shared;
    if (access.space == SpaceKind::generic || (is_shared && options_.counts->count < isa::warp_size))
        return count_lanes(site, lanes);
    if (is_shared) return add_request(site, nullptr);
    Value* const sectors = sectors_between(low, b_.CreateAdd(between, b_.getInt64(access.bytes - 1)));
    if (is_full_mask(site.mask)) return add_request(site, sectors);
    // Unless lanes in between are switched off.
    Value* const run =
        b_.CreateLShr(site.mask, b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, site.mask, b_.getTrue()));
    Value* const holes = b_.CreateAnd(run, b_.CreateAdd(run, b_.getInt32(1)));
    Value* const is_dense =
        b_.CreateOr(b_.CreateICmpEQ(holes, b_.getInt32(0)), b_.CreateICmpEQ(sectors, b_.getInt64(1)));
    count_if(
        site, is_dense, [&] { add_request(site, sectors); }, lanes);
}

/// Two rows of lanes, from `rows` on: lines, or all of a row at one place.
void FunctionEmitter::count_rows(AccessSite const& site, std::array<Value*, 2> const& rows, bool are_lines) {
    if (!is_counted(site)) return;
    Access const& access = site.access;
    std::uint64_t const step = are_lines ? access.bytes : 0;
    auto* const lane_steps = llvm::ConstantVector::get(steps(b_.getInt64Ty(), row_lanes, step));
    Value* const lanes = joined(b_.CreateAdd(splat(rows[0], row_lanes), lane_steps),
                                b_.CreateAdd(splat(rows[1], row_lanes), lane_steps));
    bool const is_shared = access.space == SpaceKind::shared;
    if (access.space == SpaceKind::generic || (is_shared && (!has_usual_banks() || access.bytes < 4)))
        return count_lanes(site, lanes);
    auto const count = [&] {
        if (!is_shared) return add_request(site, sectors_of_rows(rows, (row_lanes - 1) * step + access.bytes));
        // The passes of a wide access have the lanes of one row at most, in different banks.
        if (access.bytes > 4) return add_request(site, nullptr);
        add_request(site, is_conflict(rows, are_lines));
    };
    if (is_full_mask(site.mask)) return count();
    count_if(site, b_.CreateICmpEQ(site.mask, b_.getInt32(isa::all_lanes)), count, lanes);
}

/// In one of two ways.
void FunctionEmitter::count_if(AccessSite const& site, Value* is_usual, std::function<void()> const& count_usual,
                               Value* lanes) {
    llvm::BasicBlock* const usual = new_block("count_usual");
    llvm::BasicBlock* const other = new_block("count_lanes");
    llvm::BasicBlock* const counted = new_block("counted");
    b_.CreateCondBr(is_usual, usual, other);
    b_.SetInsertPoint(usual);
    count_usual();
    b_.CreateBr(counted);
    b_.SetInsertPoint(other);
    hand_addresses_over(site, lanes);
    b_.CreateBr(counted);
    b_.SetInsertPoint(counted);
}

/// Sectors from there to `distance` bytes behind.
llvm::Value* FunctionEmitter::sectors_between(Value* low, Value* distance) {
    Value* const first = b_.CreateLShr(low, 5);
    Value* const last = b_.CreateLShr(b_.CreateAdd(low, distance), 5);
    return b_.CreateAdd(b_.CreateSub(last, first), b_.getInt64(1));
}

/// Those of both, less those that are in both.
llvm::Value* FunctionEmitter::sectors_of_rows(std::array<Value*, 2> const& rows, std::uint64_t bytes) {
    Value* const distance = b_.getInt64(bytes - 1);
    Value *first[2], *last[2];
    for (std::size_t i = 0; i < 2; ++i) {
        first[i] = b_.CreateLShr(rows[i], 5);
        last[i] = b_.CreateLShr(b_.CreateAdd(rows[i], distance), 5);
    }
    Value* const from = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, first[0], first[1]);
    Value* const to =
        b_.CreateAdd(b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, last[0], last[1]), b_.getInt64(1));
    Value* const shared = b_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, to, from);
    Value* const both = b_.CreateAdd(sectors_between(rows[0], distance), sectors_between(rows[1], distance));
    return b_.CreateSub(both, shared);
}

/// Whether words of the rows, 16 or one each, are in one bank and not the same. Their first words are `distance` apart, so
/// pairs of words are up to `reach` further or nearer; those that are a multiple of 32 words apart, but not 0, conflict.
llvm::Value* FunctionEmitter::is_conflict(std::array<Value*, 2> const& rows, bool are_lines) {
    Value* const distance = b_.CreateSub(b_.CreateLShr(rows[1], 2), b_.CreateLShr(rows[0], 2));
    std::uint64_t const reach = are_lines ? row_lanes - 1 : 0;
    Value* const highest = b_.CreateAdd(distance, b_.getInt64(reach));
    Value* const is_in_reach = b_.CreateICmpULE(b_.CreateAnd(highest, b_.getInt64(31)), b_.getInt64(2 * reach));
    Value* const is_apart = b_.CreateICmpUGT(highest, b_.getInt64(2 * reach));
    return b_.CreateAnd(is_in_reach, is_apart);
}

}  // namespace warpsim::sim
