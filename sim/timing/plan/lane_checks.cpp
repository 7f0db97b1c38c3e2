#include "sim/timing/plan/lane_checks.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

enum Check : std::uint8_t {
    unchecked,
    of_all,
    of_all_90,
    only_of_all_90,
    at_barrier,
    of_mask,
    of_mask_75,
    of_mask_to_match,
    of_mask_to_meet,
    of_some,
    check_count
};

// As ptxas 13.0 has them: what stands before the first instruction of a block that names all lanes. A mask that is computed is
// compared with those that the lanes have, and with who is there; also where lanes only meet. From 9.0 on a number that names
// some lanes is moved into a register that nothing reads, and lanes just wait for the others (WARPSYNC) at the only instruction
// of its kind that asks.
// clang-format off
constexpr LaneCheck checks[] = {
    {""},
    {"B"},      // of_all
    {"SB"},     // of_all_90
    {"V"},      // only_of_all_90
    {"AB"},     // at_barrier
    {"VvSAb"},  // of_mask
    {"V"},      // of_mask_75
    {"SAb"},    // of_mask_to_match
    {"VvSAb"},  // of_mask_to_meet
    {"A"},      // of_some
};
// clang-format on
static_assert(std::size(checks) == check_count);

// Instructions that collect missing lanes: around a call, and those of the routine, for the only call of its kind and for several,
// which say themselves whom to wait for. From 9.0 on there are no routines.
struct Collecting {
    std::uint8_t only, only_routine, each, routine, each_90;
};
constexpr Collecting votes{3, 5, 4, 6, 4}, shuffles{2, 4, 5, 5, 6}, indexed_shuffles{2, 4, 4, 5, 5},
    telling_shuffles{3, 4, 6, 8, 5}, meetings{2, 4, 3, 4, 3}, barriers{2, 4, 2, 4, 6};
constexpr std::uint16_t around_block_90 = 4;

/// A number that the operand is, or that its register gets.
ir::Operand const* number_of(MachineFunction const& m, ir::Operand const& o) {
    if (o.kind == Kind::immediate) return &o;
    std::uint32_t const maker = o.kind == Kind::reg ? m.only_definition[m.root[o.index]] : ir::none;
    if (maker == ir::none || m.form(maker).operation != isa::Operation::mov) return nullptr;
    ir::Operand const& moved = m.operands(maker)[1];
    return moved.kind == Kind::immediate ? &moved : nullptr;
}

/// The lane, or how far away it is, that a shuffle reads from, if it is a number; that is moved once more for each.
ir::Operand const* lane_number(MachineFunction const& m, std::uint32_t i) {
    auto const operands = m.operands(i);
    return number_of(m, operands[operands.size() - 3]);
}

/// `tells`: something reads the predicate of a shuffle.
Collecting const& collecting(MachineFunction const& m, std::uint32_t i, bool tells) {
    switch (ir::effect(*m.module, m.ir(i))) {
        case isa::Effect::shuffle:
            return tells ? telling_shuffles : lane_number(m, i) == nullptr ? indexed_shuffles : shuffles;
        case isa::Effect::barrier_warp: return meetings;
        case isa::Effect::barrier: return barriers;
        default: return votes;
    }
}

/// The same in all lanes, or the lanes that are there.
bool is_agreed(MachineFunction const& m, Divergence const& divergence, ir::Operand const& o) {
    if (o.kind != Kind::reg || !divergence.varies(o.index)) return true;
    std::uint32_t const maker = m.only_definition[m.root[o.index]];
    if (maker == ir::none) return true;
    return ir::effect(*m.module, m.ir(maker)) == Effect::active_mask;
}

/// A number that does not stand for all lanes.
bool names_some(MachineFunction const& m, ir::Operand const& o) {
    ir::Operand const* const number = number_of(m, o);
    return number != nullptr && static_cast<std::uint32_t>(number->value) != UINT32_MAX;
}

}  // namespace

bool does_together(MachineFunction const& m, std::uint32_t i) {
    Effect const effect = ir::effect(*m.module, m.ir(i));
    bool const is_exchange = effect == Effect::shuffle || effect == Effect::vote;
    return ((is_exchange && m.form(i).has(isa::Modifier::sync)) || effect == Effect::match) &&
           m.instructions[i].fate == Fate::issued;
}

namespace {

/// Asks whether all lanes are there that instructions name.
class LaneAsker {
public:
    LaneAsker(MachineFunction& m, Divergence const& divergence, std::vector<bool> const& is_unsure, int capability)
        : m_(m),
          divergence_(divergence),
          is_unsure_(is_unsure),
          capability_(capability),
          is_read_(m.function->registers.size(), false) {
        for (std::uint32_t const reg : m.reads.items) is_read_[reg] = true;
    }

    void run() {
        auto const& blocks = m_.function->blocks;
        std::vector<std::vector<std::uint32_t>> asking(blocks.size());
        for (std::uint32_t b = 0; b < blocks.size(); ++b) {
            asking[b] = asking_in(blocks[b], is_unsure_[b]);
            for (std::uint32_t const i : asking[b]) ++counts_[kind(i)];
        }
        for (std::vector<std::uint32_t> const& all : asking) ask(all);
        for (auto const& [each, count] : counts_) {
            Collecting const& c = collecting(m_, each.example, each.tells);
            // The only one does not wait once more behind a barrier in its block.
            std::uint32_t const waits = behind_barriers_.contains(each.example) ? 1 : 0;
            if (capability_ < 90) collect(each.example, count == 1 ? c.only_routine - waits : c.routine);
        }
    }

private:
    /// Instructions that call the same routine.
    struct Routine {
        isa::Operation operation;
        std::vector<isa::Modifier> modifiers;
        bool tells;
        std::uint32_t example;
        bool operator<(Routine const& other) const {
            return std::tie(operation, modifiers, tells) < std::tie(other.operation, other.modifiers, other.tells);
        }
    };
    bool tells(std::uint32_t i) const {
        ir::Operand const& told = m_.operands(i)[1];
        return ir::effect(*m_.module, m_.ir(i)) == Effect::shuffle && told.kind == Kind::reg &&
               is_read_[told.index];
    }
    Routine kind(std::uint32_t i) const {
        ir::Form const& form = m_.form(i);
        std::vector<isa::Modifier> modifiers = form.modifiers;
        std::sort(modifiers.begin(), modifiers.end());
        return {form.operation, std::move(modifiers), tells(i), i};
    }

    /// Instructions of the block that name all lanes, or those that are there, where some may be missing. Others are marked.
    std::vector<std::uint32_t> asking_in(ir::Block const& block, bool is_unsure) {
        std::vector<std::uint32_t> found, of_computed;
        bool is_behind_barrier = false;
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            Effect const effect = ir::effect(*m_.module, m_.ir(i));
            bool const is_barrier = effect == Effect::barrier, names_lanes = does_together(m_, i);
            bool const meets = effect == Effect::barrier_warp;
            // From 9.0 on it is known at once that all have come.
            bool const brings_all = is_barrier && !is_barrier_of_any(m_.form(i));
            if (brings_all) is_unsure = is_unsure && capability_ < 90;
            is_behind_barrier = is_behind_barrier || brings_all;
            if (is_behind_barrier) behind_barriers_.insert(i);
            bool const is_of_warp = names_lanes || meets || effect == Effect::reduce_warp;
            if (m_.instructions[i].fate != Fate::issued) continue;
            if (is_barrier && is_barrier_of_any(m_.form(i)) && is_unsure) found.push_back(i);
            if (!is_of_warp) continue;
            ir::Operand const& lanes = m_.operands(i).back();
            if (capability_ >= 90 && names_some(m_, lanes)) mark(i, of_some, 0);
            bool const is_known = is_agreed(m_, divergence_, lanes);
            if (!is_known && names_lanes && capability_ >= 80 && effect != Effect::match) of_computed.push_back(i);
            else if (!is_known) ask_of_mask(i, effect, names_lanes);
            else if (is_unsure && (names_lanes || meets)) found.push_back(i);
        }
        std::uint32_t const elsewhere = capability_ >= 90 ? 6 : of_computed.size() == 1 ? 8 : 10;
        for (std::uint32_t const i : of_computed) mark(i, of_mask, elsewhere);
        return found;
    }

    void ask_of_mask(std::uint32_t i, Effect effect, bool names_lanes) {
        if (capability_ >= 80) {
            if (effect == Effect::barrier_warp) mark(i, of_mask_to_meet, 5);
            else if (effect == Effect::match) mark(i, of_mask_to_match, 9);
        } else if (names_lanes && effect != Effect::shuffle) {
            mark(i, of_mask_75, 0);
        }
    }

    void mark(std::uint32_t i, Check check, std::uint32_t elsewhere) {
        m_.instructions[i].lane_check = check;
        collect(i, elsewhere);
    }
    void collect(std::uint32_t i, std::uint32_t elsewhere) {
        m_.instructions[i].elsewhere = static_cast<std::uint16_t>(m_.instructions[i].elsewhere + elsewhere);
    }

    /// Instructions of one block.
    void ask(std::vector<std::uint32_t> const& all) {
        std::vector<std::uint32_t> together;
        for (std::uint32_t const i : all) {
            Effect const effect = ir::effect(*m_.module, m_.ir(i));
            Collecting const& c = collecting(m_, i, tells(i));
            bool const is_only = counts_[kind(i)] == 1;
            if (capability_ >= 90 && is_only && together.empty()) return mark(i, only_of_all_90, 0);
            if (effect == Effect::barrier || effect == Effect::barrier_warp) {
                if (capability_ >= 90) mark(i, of_all_90, around_block_90 + c.each_90);
                else mark(i, effect == Effect::barrier ? at_barrier : of_all, is_only ? c.only : c.each);
                continue;
            }
            bool const has_lane = together.size() > 1 && names_same_lane(i, together.back());
            together.push_back(i);
            collect(i, capability_ >= 90 ? c.each_90 - (has_lane ? 1u : 0u) : is_only ? c.only : c.each);
        }
        if (together.empty()) return;
        std::uint32_t const between = count_between(together);
        std::uint32_t const first = together.front(), kept = count_kept(together);
        // From 9.0 on what all shuffles share is moved once more.
        bool const are_shuffled = ir::effect(*m_.module, m_.ir(together.back())) == Effect::shuffle;
        if (capability_ >= 90)
            mark(first, of_all_90, around_block_90 + between + (are_shuffled && kept > 1 ? 2 : 0));
        else mark(first, of_all, 1 + between + kept + count_brought(together));
    }
    /// Shuffles behind the first one of values that were there before it, which are moved where it has them.
    std::uint32_t count_brought(std::vector<std::uint32_t> const& together) const {
        std::set<std::uint32_t> made;
        std::uint32_t brought = 0;
        auto next = together.begin();
        for (std::uint32_t i = together.front(); i <= together.back(); ++i) {
            if (i == *next) {
                auto const reads = m_.reads[i];
                bool const is_shuffle = ir::effect(*m_.module, m_.ir(i)) == Effect::shuffle;
                bool const is_made =
                    std::any_of(reads.begin(), reads.end(), [&](std::uint32_t r) { return made.contains(r); });
                if (i != together.front() && is_shuffle && !is_made) ++brought;
                ++next;
            }
            auto const writes = m_.writes[i];
            made.insert(writes.begin(), writes.end());
        }
        return brought;
    }
    /// Of two shuffles, so that its number is not moved again.
    bool names_same_lane(std::uint32_t i, std::uint32_t before) const {
        bool const are_shuffles = ir::effect(*m_.module, m_.ir(i)) == Effect::shuffle &&
                                  ir::effect(*m_.module, m_.ir(before)) == Effect::shuffle;
        if (!are_shuffles) return false;
        ir::Operand const *number = lane_number(m_, i), *other = lane_number(m_, before);
        return number != nullptr && other != nullptr && number->value == other->value;
    }

    /// What is computed from the results of some for others, and has to be computed elsewhere as well.
    std::uint32_t count_between(std::vector<std::uint32_t> const& together) const {
        std::set<std::uint32_t> made, needed;
        std::vector<std::uint32_t> dependent;
        auto next = together.begin();
        for (std::uint32_t i = together.front(); i <= together.back(); ++i) {
            auto const reads = m_.reads[i], writes = m_.writes[i];
            bool const asks = i == *next;
            bool const depends =
                std::any_of(reads.begin(), reads.end(), [&](std::uint32_t r) { return made.contains(r); });
            if (asks) ++next;
            if (asks || depends) made.insert(writes.begin(), writes.end());
            if (depends && !asks && m_.instructions[i].fate == Fate::issued) dependent.push_back(i);
        }
        std::uint32_t between = 0;
        auto last = dependent.rbegin();
        for (std::uint32_t const asks : std::vector(together.rbegin(), together.rend())) {
            for (; last != dependent.rend() && *last > asks; ++last) {
                auto const writes = m_.writes[*last];
                bool const is_needed =
                    std::any_of(writes.begin(), writes.end(), [&](std::uint32_t r) { return needed.contains(r); });
                if (!is_needed) continue;
                needed.insert(m_.reads[*last].begin(), m_.reads[*last].end());
                ++between;
            }
            needed.insert(m_.reads[asks].begin(), m_.reads[asks].end());
        }
        return between;
    }
    /// Results that the next call must not overwrite: those that it does not depend on, and the last one.
    std::uint32_t count_kept(std::vector<std::uint32_t> const& together) const {
        std::uint32_t kept = 1;
        for (std::size_t k = 0; k + 1 < together.size(); ++k) {
            auto const writes = m_.writes[together[k]];
            std::set<std::uint32_t> made(writes.begin(), writes.end());
            bool depends = false;
            for (std::uint32_t i = together[k] + 1; i <= together[k + 1]; ++i) {
                auto const reads = m_.reads[i], makes = m_.writes[i];
                depends =
                    std::any_of(reads.begin(), reads.end(), [&](std::uint32_t r) { return made.contains(r); });
                if (depends) made.insert(makes.begin(), makes.end());
            }
            kept += depends ? 0 : 1;
        }
        return kept;
    }

    MachineFunction& m_;
    Divergence const& divergence_;
    std::vector<bool> const& is_unsure_;
    int capability_;
    std::vector<bool> is_read_;  // per register
    std::map<Routine, std::uint32_t> counts_;
    std::set<std::uint32_t> behind_barriers_;
};

}  // namespace

void check_lanes(MachineFunction& m, Divergence const& divergence, std::vector<bool> const& is_unsure,
                 int capability) {
    LaneAsker(m, divergence, is_unsure, capability).run();
}

LaneCheck const& lane_check(std::uint8_t number) { return checks[number]; }
bool makes_lanes_meet(std::uint8_t number) { return number == only_of_all_90; }

}  // namespace warpsim::timing
