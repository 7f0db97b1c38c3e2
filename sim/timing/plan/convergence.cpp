#include "sim/timing/plan/convergence.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/lane_checks.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpsim::timing {

namespace {

using isa::Effect;

class BarrierPlacer {
public:
    BarrierPlacer(MachineFunction& m, ir::DominatorTree const& dominators, Divergence const& divergence,
                  int capability)
        : m_(m),
          dominators_(dominators),
          divergence_(divergence),
          capability_(capability),
          notes_(capability < 80 ? 2 : 1),
          yields_(capability < 80 ? 6 : 1),
          parted_(m.function->blocks.size(), false),
          unsure_(m.function->blocks.size(), false) {
        std::vector<std::uint32_t> seen(m.function->blocks.size(), ir::none);
        for (std::uint32_t b = 0; b < m.function->blocks.size(); ++b) {
            barriers_.push_back(first_barrier(m.function->blocks[b]));
            is_together_.push_back(does_together(m.function->blocks[b]));
            if (dominators.is_reached(b) && divergence.splits(b))
                mark_parted_blocks(*m.function, b, seen, parted_);
            for (std::uint32_t const s : m.function->blocks[b].successors) {
                if (s <= b) loops_.push_back({s, b});
            }
        }
    }

    void run() {
        std::vector<bool> spins(m_.function->blocks.size(),
                                false);  // per block: loops end there whose lanes let others run
        for (auto const& [head, end] : loops_) {
            if (!yields(head, end)) continue;
            add(carrier(end, true), yields_);
            spins[end] = true;
        }
        find_regions(spins);
        find_unsure();
        check_lanes(m_, divergence_, unsure_, capability_);
        for (auto const& [meet, region] : regions_) {
            // What makes them wait for one another as well (WARPSYNC).
            if (meets_inside(region) || (unsure_[meet] && begins_with_meeting(meet))) continue;
            add(carrier(region.begin, true), notes_);
            add(carrier(meet, false), 1);
        }
        for (std::uint32_t b = 0; b < unsure_.size(); ++b) {
            if (unsure_[b] && barriers_[b] != ir::none) add(carrier_before(barriers_[b]), 1);
        }
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (may_call(i)) add(i, notes_ + 1);
        }
    }

private:
    /// The blocks in which lanes may be apart until they meet.
    struct Region {
        std::uint32_t part = ir::none,
                      begin = ir::none;  // where they part, and where that is noted, outside of loops
        bool has_barrier = false, spins = false;
        std::vector<bool> blocks;
    };

    void find_regions(std::vector<bool> const& spins) {
        std::vector<std::uint32_t> seen(unsure_.size(), ir::none);
        for (std::uint32_t b = 0; b < unsure_.size(); ++b) {
            std::uint32_t const meet = m_.function->blocks[b].reconvergence;
            if (meet == ir::none || !dominators_.is_reached(b) || !divergence_.splits(b) ||
                only_ends(*m_.module, *m_.function, meet))
                continue;
            Region& region = regions_[meet];
            region.part = region.part == ir::none ? b : dominators_.common(region.part, b);
            region.blocks.resize(unsure_.size(), false);
            mark_parted_blocks(*m_.function, b, seen, region.blocks);
        }
        for (auto& [meet, region] : regions_) {
            region.begin = outside_loops(region.part, meet);
            for (std::uint32_t b = 0; b < unsure_.size(); ++b) {
                if (!region.blocks[b]) continue;
                region.has_barrier = region.has_barrier || barriers_[b] != ir::none;
                region.spins = region.spins || spins[b];
            }
        }
    }

    /// Lanes that part are apart until a barrier brings all of them together, or until they meet. There they are as they were where
    /// it was noted who parted; but all that are elsewhere come later where they have let others run or have been asked for, and
    /// where nothing was noted.
    void find_unsure() {
        auto const& blocks = m_.function->blocks;
        std::vector<std::vector<std::uint32_t>> before(blocks.size());
        for (std::uint32_t b = 0; b < blocks.size(); ++b) {
            if (!dominators_.is_reached(b)) continue;
            for (std::uint32_t const s : blocks[b].successors) before[s].push_back(b);
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t b = 0; b < blocks.size(); ++b) {
                if (unsure_[b]) continue;
                auto const found = regions_.find(b);
                Region const* const region = found == regions_.end() ? nullptr : &found->second;
                bool is_unsure = region != nullptr && (region->has_barrier || region->spins ||
                                                       leaves_unsure(region->begin) || asks_inside(*region));
                for (std::uint32_t const p : before[b]) {
                    bool const is_inside = region != nullptr && (region->blocks[p] || p == region->part);
                    if (!is_inside) is_unsure = is_unsure || leaves_unsure(p) || divergence_.splits(p);
                }
                unsure_[b] = is_unsure;
                changed = changed || is_unsure;
            }
        }
    }
    bool leaves_unsure(std::uint32_t b) const { return unsure_[b] && barriers_[b] == ir::none; }
    bool asks_inside(Region const& region) const {
        for (std::uint32_t b = 0; b < unsure_.size(); ++b)
            if (region.blocks[b] && unsure_[b] && is_together_[b]) return true;
        return false;
    }

    /// Floating-point divisions and roots branch to a routine for rare arguments.
    bool may_call(std::uint32_t i) const {
        ir::Form const& form = m_.form(i);
        if (m_.instructions[i].fate != Fate::issued || !isa::is_float(form.types[0]) ||
            !divergence_.reads_varying(i))
            return false;
        if (form.operation == Operation::rsqrt) return form.types[0] == isa::Type::f64 && !form.ftz;
        bool const may_be_exact = is_one_of(form.operation, Operation::div, Operation::rcp, Operation::sqrt);
        return may_be_exact && !form.has(isa::Modifier::approx);
    }

    /// In a loop that waits for other threads, while other lanes are elsewhere, those that go on let others run. ptxas 13.0
    /// takes for such a loop one with an atomic or strong load, for 7.5 also with what lanes do together, and from 9.0 on
    /// only where it depends on what was read whether there is another iteration.
    bool yields(std::uint32_t head, std::uint32_t end) const {
        bool const goes_on_conditionally = m_.function->blocks[end].successors.size() > 1;
        if (!dominators_.is_reached(end) || !goes_on_conditionally || !parted_[end]) return false;
        std::uint32_t const first = m_.function->blocks[head].first, last = m_.function->blocks[end].last;
        std::set<std::uint32_t> asked(m_.reads[last].begin(), m_.reads[last].end());
        for (std::uint32_t i = last + 1; i-- > first;) {
            bool const decides = std::any_of(m_.writes[i].begin(), m_.writes[i].end(),
                                             [&](std::uint32_t reg) { return asked.contains(reg); });
            if (waits_for_others(i) && (capability_ < 90 || decides)) return true;
            if (decides) asked.insert(m_.reads[i].begin(), m_.reads[i].end());
        }
        return false;
    }
    std::uint32_t first_barrier(ir::Block const& block) const {
        for (std::uint32_t i = block.first; i <= block.last; ++i)
            if (is_barrier(i)) return i;
        return ir::none;
    }
    bool does_together(ir::Block const& block) const {
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            Effect const effect = ir::effect(*m_.module, m_.ir(i));
            bool const meets = effect == Effect::barrier_warp || (effect == Effect::barrier && !is_barrier(i));
            if (meets || timing::does_together(m_, i)) return true;
        }
        return false;
    }
    bool meets_inside(Region const& region) const {
        if (region.has_barrier) return true;
        for (std::uint32_t b = 0; b < unsure_.size(); ++b) {
            ir::Block const& block = m_.function->blocks[b];
            for (std::uint32_t i = block.first; region.blocks[b] && is_together_[b] && i <= block.last; ++i)
                if (makes_lanes_meet(m_.instructions[i].lane_check)) return true;
        }
        return false;
    }
    bool waits_for_others(std::uint32_t i) const {
        Effect const effect = ir::effect(*m_.module, m_.ir(i));
        ir::Form const& form = m_.form(i);
        switch (effect) {
            case Effect::atomic: return true;
            case Effect::load: return form.order != isa::Order::weak || form.has(isa::Modifier::volatile_);
            case Effect::shuffle:
            case Effect::vote:
            case Effect::match: return capability_ < 80;
            default: return false;
        }
    }
    bool begins_with_meeting(std::uint32_t b) const {
        ir::Block const& block = m_.function->blocks[b];
        std::uint32_t i = block.first;
        while (i < block.last &&
               (m_.instructions[i].fate != Fate::issued || ir::effect(*m_.module, m_.ir(i)) == Effect::lanes))
            ++i;
        return is_barrier(i) || makes_lanes_meet(m_.instructions[i].lane_check);
    }
    bool is_barrier(std::uint32_t i) const {
        return ir::effect(*m_.module, m_.ir(i)) == Effect::barrier && !is_barrier_of_any(m_.form(i));
    }

    /// If lanes leave a loop in different iterations, BSSY stands before the loop.
    std::uint32_t outside_loops(std::uint32_t part, std::uint32_t meet) const {
        for (bool moved = true; moved;) {
            moved = false;
            for (auto const& [head, end] : loops_) {
                bool const is_inside = head <= part && part <= end && (meet < head || meet > end);
                if (!is_inside || dominators_.immediate(head) >= head) continue;
                part = dominators_.immediate(head);
                moved = true;
            }
        }
        return part;
    }

    /// The instruction of the block that they are issued with: before the end of the block, or at its beginning.
    std::uint32_t carrier(std::uint32_t b, bool at_end) const {
        ir::Block const& block = m_.function->blocks[b];
        std::uint32_t found = ir::none;
        for (std::uint32_t k = 0; k <= block.last - block.first; ++k) {
            std::uint32_t const i = at_end ? block.last - k : block.first + k;
            if (m_.instructions[i].fate != Fate::issued) continue;
            if (found == ir::none) found = i;
            Effect const effect = ir::effect(*m_.module, m_.ir(i));
            if (effect == Effect::lanes) return i;
            if (isa::synchronises(effect) || effect == Effect::call) break;
        }
        return found;
    }
    /// The instruction that something in front of this one is issued with.
    std::uint32_t carrier_before(std::uint32_t i) const {
        for (std::uint32_t k = i; k-- > m_.function->blocks[m_.function->block_of[i]].first;) {
            Effect const effect = ir::effect(*m_.module, m_.ir(k));
            if (m_.instructions[k].fate == Fate::issued && effect == Effect::lanes) return k;
        }
        return i;
    }
    void add(std::uint32_t i, int count) {
        if (i == ir::none) return;
        m_.instructions[i].convergence =
            static_cast<std::uint8_t>(std::min(m_.instructions[i].convergence + count, 200));
    }

    MachineFunction& m_;
    ir::DominatorTree const& dominators_;
    Divergence const& divergence_;
    int capability_;
    int notes_;   // until 7.5, the barrier register is cleared first (BMOV)
    int yields_;  // until 7.5, those that go on meet first, by votes
    std::vector<std::pair<std::uint32_t, std::uint32_t>> loops_;  // first and last block
    std::vector<bool> parted_;                                    // per block: lanes may be elsewhere
    std::vector<std::uint32_t> barriers_;                         // per block: the first one, or none
    std::vector<bool> is_together_;                               // per block: lanes do something together there
    std::map<std::uint32_t, Region> regions_;                     // by the block in which the lanes meet
    std::vector<bool>
        unsure_;  // per block: lanes may come there one after the other although they were to meet before
};

}  // namespace

void add_convergence(MachineFunction& m, ir::DominatorTree const& dominators, Divergence const& divergence,
                     int capability) {
    BarrierPlacer(m, dominators, divergence, capability).run();
}

}  // namespace warpsim::timing
