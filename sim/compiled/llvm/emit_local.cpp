// Loads and stores of threads' own memory: local memory, and the param areas of calls. Byte b of lane i is in word b / 4, in
// which the lanes are adjacent, so what all lanes have at one address is a row of words, as in any memory.
#include "sim/compiled/llvm/function_emitter.hpp"

#include <algorithm>
#include <cstddef>

namespace warpsim::sim {

namespace {

constexpr std::uint64_t row_bytes = 128;

}  // namespace

void FunctionEmitter::emit_own_memory(AccessSite& site) {
    Access const& access = site.access;
    bool const is_param = access.space == SpaceKind::frame_param;
    Value* const area =
        is_param ? b_.CreateConstGEP1_64(b_.getInt8Ty(), base(isa::Base::frame), function_.param_area)
                 : b_.CreateLoad(b_.getPtrTy(),
                                 b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, offsetof(CompiledState, local)));
    std::size_t const end = is_param ? offsetof(CompiledState, param_end) : offsetof(CompiledState, local_end);
    site.reach = {b_.getInt64(0), state_member(end, b_.getInt64Ty()), b_.CreatePtrToInt(area, b_.getInt64Ty())};

    LaneOperand const operand = address_of(access);
    if (shape(operand) == LaneShape::uniform) return move_rows(site, address_at(access, read_first(operand)));
    Value* lanes = lane_addresses(site);
    if (access.is_at_one_place) return move_rows(site, b_.CreateExtractElement(lanes, std::uint64_t{0}));
    Value* const first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, site.mask, b_.getTrue());
    Value* const of_first = b_.CreateExtractElement(lanes, first);
    if (!is_full_mask(site.mask)) lanes = b_.CreateSelect(bits(site.mask), lanes, splat(of_first));
    Value* const differs = b_.CreateBitCast(b_.CreateICmpNE(lanes, splat(of_first)), b_.getInt32Ty());
    llvm::BasicBlock* const row = new_block("row");
    llvm::BasicBlock* const anywhere = new_block("anywhere");
    b_.CreateCondBr(b_.CreateICmpEQ(differs, b_.getInt32(0)), row, anywhere);
    LaneShapeList const before = now_;
    b_.SetInsertPoint(row);
    move_rows(site, b_.CreateZExt(of_first, b_.getInt64Ty()));
    now_ = before;
    b_.SetInsertPoint(anywhere);
    move_words(site, b_.CreateZExt(lanes, column_type(module_.getContext(), 3)));
}

/// All lanes at one address.
void FunctionEmitter::move_rows(AccessSite const& site, Value* address) {
    Access const& access = site.access;
    llvm::BasicBlock* const move = new_block("move_rows");
    b_.CreateCondBr(b_.CreateAnd(is_aligned(site, address), is_inside(site, address, b_.getInt64(access.bytes))),
                    move, site.slow);
    b_.SetInsertPoint(move);
    Value* const row = b_.CreateMul(b_.CreateLShr(address, 2), b_.getInt64(row_bytes));
    Value* const first_row = b_.CreateIntToPtr(b_.CreateAdd(row, site.reach.bias), b_.getPtrTy());
    // Of an element that is smaller than a word: where it stands in the word.
    Value* const shift = b_.CreateShl(b_.CreateTrunc(b_.CreateAnd(address, 3), b_.getInt32Ty()), 3);
    for (std::uint32_t i = 0; i < access.elements; ++i) {
        if (access.data[i] == discard) continue;
        std::uint32_t const byte = i << access.memory_log2;
        Value* const at = b_.CreateConstGEP1_64(b_.getInt8Ty(), first_row, byte / 4 * row_bytes);
        Value* const within = b_.CreateAnd(b_.CreateAdd(shift, b_.getInt32(byte * 8)), 31);
        if (site.op.kind == OpKind::load) load_row(site, i, at, within);
        else store_row(site, i, at, within);
    }
    finish_fast(site);
}

void FunctionEmitter::load_row(AccessSite const& site, unsigned i, Value* at, Value* shift) {
    unsigned const log2 = site.access.memory_log2;
    llvm::Type* const words = column_type(module_.getContext(), 2);
    auto const word = [&](std::uint64_t which) -> Value* {
        return b_.CreateAlignedLoad(words, b_.CreateConstGEP1_64(b_.getInt8Ty(), at, which * row_bytes),
                                    llvm::Align(4));
    };
    llvm::Type* const type = llvm::FixedVectorType::get(b_.getIntNTy(8u << log2), 32);
    if (log2 == 3) {
        Value* const high = b_.CreateShl(b_.CreateZExt(word(1), type), 32);
        return set_loaded(site, i, b_.CreateOr(b_.CreateZExt(word(0), type), high));
    }
    set_loaded(site, i, log2 == 2 ? word(0) : b_.CreateTrunc(b_.CreateLShr(word(0), splat(shift)), type));
}

void FunctionEmitter::store_row(AccessSite const& site, unsigned i, Value* at, Value* shift) {
    Access const& access = site.access;
    llvm::Type* const words = column_type(module_.getContext(), 2);
    Value* const value = read({access.data[i], access.column_log2[i]});
    auto const store = [&](std::uint64_t which, Value* word) {
        Value* const place = b_.CreateConstGEP1_64(b_.getInt8Ty(), at, which * row_bytes);
        if (is_full_mask(site.mask)) b_.CreateAlignedStore(word, place, llvm::Align(4));
        else b_.CreateMaskedStore(word, place, llvm::Align(4), bits(site.mask));
    };
    if (access.memory_log2 >= 2) {
        store(0, b_.CreateTrunc(value, words));
        if (access.memory_log2 == 3) store(1, b_.CreateTrunc(b_.CreateLShr(value, 32), words));
        return;
    }
    // The rest of the word stays.
    std::uint32_t const ones = (1u << (8u << access.memory_log2)) - 1;
    Value* const own = splat(b_.CreateShl(b_.getInt32(ones), shift));
    Value* const moved = b_.CreateShl(b_.CreateZExtOrTrunc(value, words), splat(shift));
    Value* const old = b_.CreateAlignedLoad(words, at, llvm::Align(4));
    store(0, b_.CreateOr(b_.CreateAnd(old, b_.CreateNot(own)), b_.CreateAnd(moved, own)));
}

/// Each lane's own address, of 64 bits.
void FunctionEmitter::move_words(AccessSite const& site, Value* lanes) {
    Access const& access = site.access;
    check_anywhere(site, lanes, lanes);
    std::vector<llvm::Constant*> words;
    for (std::uint64_t lane = 0; lane < 32; ++lane) words.push_back(b_.getInt64(4 * lane));
    auto const place = [&](std::uint64_t byte) {
        Value* const address = b_.CreateAdd(lanes, splat(b_.getInt64(byte)));
        Value* const row = b_.CreateShl(b_.CreateLShr(address, 2), 7);
        Value* const in_row = b_.CreateAdd(b_.CreateAnd(address, 3), llvm::ConstantVector::get(words));
        Value* const area = b_.CreateIntToPtr(site.reach.bias, b_.getPtrTy());
        return b_.CreateGEP(b_.getInt8Ty(), area, b_.CreateAdd(row, in_row));
    };
    unsigned const bits_in_word = std::min(8u << access.memory_log2, 32u);
    auto* const type = llvm::FixedVectorType::get(b_.getIntNTy(bits_in_word), 32);
    llvm::Type* const whole = column_type(module_.getContext(), 3);
    bool const is_load = site.op.kind == OpKind::load;
    for (unsigned i = 0; i < access.elements; ++i) {
        if (access.data[i] == discard) continue;
        std::uint64_t const byte = std::uint64_t{i} << access.memory_log2;
        Value* const data = is_load ? nullptr : read({access.data[i], access.column_log2[i]});
        Value* const low = move_elements(site, type, place(byte), is_load ? data : b_.CreateTrunc(data, type));
        if (access.memory_log2 < 3) {
            if (is_load) set_loaded(site, i, low);
            continue;
        }
        Value* const upper = is_load ? data : b_.CreateTrunc(b_.CreateLShr(data, 32), type);
        Value* const high = move_elements(site, type, place(byte + 4), upper);
        if (is_load)
            set_loaded(site, i,
                       b_.CreateOr(b_.CreateZExt(low, whole), b_.CreateShl(b_.CreateZExt(high, whole), 32)));
    }
    finish_fast(site);
}

}  // namespace warpsim::sim
