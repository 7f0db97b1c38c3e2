// Shuffles and votes of all 32 lanes at once: permutations of vectors, and comparisons of masks.
#include "sim/compiled/llvm/function_emitter.hpp"

#include "sim/exec/collectives.hpp"

#include <cstring>

namespace warpsim::sim {

/// The bytes of a column of the plan that no launch changes; null: it is another.
std::byte const* FunctionEmitter::known_column(Slot slot) const {
    if ((slot & 3) != static_cast<Slot>(isa::Base::plan)) return nullptr;
    bool const is_of_launch =
        static_cast<std::uint32_t>(slot & ~3) < plan_.param_bytes || plan_.is_of_launch(slot);
    return is_of_launch ? nullptr : plan_.constants.data() + (slot & ~3);
}

/// False: it is left to the interpreter, as it is unless all lanes are there and name all as members.
bool FunctionEmitter::emit_collective(std::uint32_t index, Value* mask) {
    Op const& op = function_.ops[index];
    using isa::Effect;
    bool const is_one = op.effect == Effect::shuffle || op.effect == Effect::vote ||
                        op.effect == Effect::active_mask || op.effect == Effect::barrier_warp;
    if (!is_one || !is_full_mask(mask)) return false;
    auto const& c = function_.details_of<Collective>(op);
    if (c.is_sync && !is_known_to_be(c.members, isa::all_lanes)) return false;
    auto const is_column = [&](Slot slot, std::uint8_t log2) {
        if (slot == discard || (slot & 3) != static_cast<Slot>(isa::Base::frame)) return true;
        auto const found = flow_.column_of.find(slot);
        return found != flow_.column_of.end() && flow_.columns[found->second].log2 == log2;
    };
    bool const is_ballot = c.vote == VoteMode::ballot;
    switch (op.effect) {
        case Effect::barrier_warp: return true;
        case Effect::active_mask:
            if (!is_column(c.result, 2)) return false;
            write({c.result, 2}, splat(b_.getInt32(isa::all_lanes)), mask, false);
            return true;
        case Effect::vote: {
            std::uint8_t const log2 = is_ballot ? 2 : 0;
            if (!is_column(c.a, 0) || !is_column(c.result, log2)) return false;
            Value* votes = read({c.a, 0});
            if (c.source_negated) votes = b_.CreateNot(votes);
            if (is_ballot) {
                write({c.result, 2}, splat(votes), mask, false);
                return true;
            }
            Value* const all = b_.CreateICmpEQ(votes, b_.getInt32(isa::all_lanes));
            Value* const none = b_.CreateICmpEQ(votes, b_.getInt32(0));
            Value* const value = c.vote == VoteMode::all   ? all
                                 : c.vote == VoteMode::any ? b_.CreateNot(none)
                                                           : b_.CreateOr(all, none);
            write({c.result, 0}, b_.CreateSExt(value, b_.getInt32Ty()), mask, false);
            return true;
        }
        default:
            return is_column(c.a, 2) && is_column(c.result, 2) && is_column(c.predicate, 0) && emit_shuffle(c);
    }
}

bool FunctionEmitter::is_known_to_be(Slot slot, std::uint32_t value) const {
    std::byte const* const known = known_column(slot);
    if (known == nullptr) return false;
    for (std::size_t lane = 0; lane < isa::warp_size; ++lane) {
        if (std::memcmp(known + 4 * lane, &value, sizeof value) != 0) return false;
    }
    return true;
}

/// By distances that are known.
bool FunctionEmitter::emit_shuffle(Collective const& c) {
    std::byte const *const distances = known_column(c.b), *const clamps = known_column(c.c);
    if (distances == nullptr || clamps == nullptr) return false;
    std::vector<int> order;
    LaneMask inside = 0;
    for (std::int32_t lane = 0; lane < static_cast<std::int32_t>(isa::warp_size); ++lane) {
        std::int32_t distance = 0, clamp = 0;
        std::memcpy(&distance, distances + 4 * lane, sizeof distance);
        std::memcpy(&clamp, clamps + 4 * lane, sizeof clamp);
        auto const [from, is_inside] = shuffle_source(c.shuffle, lane, distance, clamp);
        order.push_back(from);
        if (is_inside != 0) inside |= 1u << lane;
    }
    Value* const moved = b_.CreateShuffleVector(read({c.a, 2}), order);
    if (c.result != discard) write({c.result, 2}, moved, active_, false);
    if (c.predicate != discard) write({c.predicate, 0}, b_.getInt32(inside), active_, false);
    return true;
}

}  // namespace warpsim::sim
