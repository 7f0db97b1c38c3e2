#include "sim/timing/plan/convergence.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/lane_checks.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace warpsim::timing {

namespace {

using isa::Effect;

/// What makes lanes that have parted meet, beside a convergence barrier.
enum class Meeting : std::uint8_t { none, by_itself, before_barrier };

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
          parted_(m.function->blocks.size(), false) {
        std::vector<std::uint32_t> seen(m.function->blocks.size(), ir::none);
        for (std::uint32_t b = 0; b < m.function->blocks.size(); ++b) {
            meetings_.push_back(meeting_in(m.function->blocks[b]));
            if (dominators.is_reached(b) && divergence.splits(b))
                mark_parted_blocks(*m.function, b, seen, parted_);
            for (std::uint32_t const s : m.function->blocks[b].successors) {
                if (s <= b) loops_.push_back({s, b});
            }
        }
    }

    /// Per block: lanes may come there one after the other although they were to meet before.
    std::vector<bool> run() {
        std::map<std::uint32_t, std::uint32_t> meets;  // reconvergence point, block in which the lanes diverge
        std::map<std::uint32_t, Meeting> met;          // reconvergence point, where all have met on the way
        for (std::uint32_t b = 0; b < m_.function->blocks.size(); ++b) {
            std::uint32_t const meet = m_.function->blocks[b].reconvergence;
            if (meet == ir::none || !dominators_.is_reached(b) || !divergence_.splits(b) ||
                only_ends(*m_.module, *m_.function, meet))
                continue;
            auto const [it, is_new] = meets.try_emplace(meet, b);
            if (!is_new) it->second = dominators_.common(it->second, b);
            if (Meeting const inside = meets_inside(b); inside != Meeting::none) met[meet] = inside;
        }
        std::set<std::uint32_t> spun;  // where lanes meet that have waited in a loop
        for (auto const& [head, end] : loops_) {
            std::uint32_t const meet = m_.function->blocks[end].reconvergence;
            if (!yields(head, end)) continue;
            add(carrier(end, true), yields_);
            spun.insert(meet);
        }
        for (auto const& [meet, part] : meets) {
            if (auto const inside = met.find(meet); inside != met.end()) {
                if (inside->second == Meeting::before_barrier) add(carrier(meet, false), 1);
                continue;
            }
            // A barrier makes them wait for one another as well (WARPSYNC).
            if (!(spun.contains(meet) && begins_with_barrier(meet)))
                add(carrier(outside_loops(part, meet), true), notes_);
            add(carrier(meet, false), 1);
        }
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (may_call(i)) add(i, notes_ + 1);
        }
        for (auto const& [meet, inside] : met)
            if (inside == Meeting::before_barrier) spun.insert(meet);
        return reached_from(spun);
    }

private:
    std::vector<bool> reached_from(std::set<std::uint32_t> const& begins) const {
        std::vector<bool> reached(m_.function->blocks.size(), false);
        std::vector<std::uint32_t> stack(begins.begin(), begins.end());
        while (!stack.empty()) {
            std::uint32_t const b = stack.back();
            stack.pop_back();
            if (b == ir::none || reached[b]) continue;
            reached[b] = true;
            auto const& next = m_.function->blocks[b].successors;
            stack.insert(stack.end(), next.begin(), next.end());
        }
        return reached;
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
    /// Lanes that part at the end of the block meet at a barrier on their way (WARPSYNC), from 9.0 on also for what all do
    /// together.
    Meeting meets_inside(std::uint32_t b) const {
        std::vector<bool> here(meetings_.size(), false);
        std::vector<std::uint32_t> seen(meetings_.size(), ir::none);
        mark_parted_blocks(*m_.function, b, seen, here);
        Meeting found = Meeting::none;
        for (std::size_t k = 0; k < here.size(); ++k)
            if (here[k]) found = std::max(found, meetings_[k]);
        return found;
    }
    Meeting meeting_in(ir::Block const& block) const {
        Meeting found = Meeting::none;
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            if (ir::effect(*m_.module, m_.ir(i)) == Effect::barrier) return Meeting::before_barrier;
            if (capability_ >= 90 && names_all_lanes(m_, divergence_, i)) found = Meeting::by_itself;
        }
        return found;
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
    bool begins_with_barrier(std::uint32_t b) const {
        ir::Block const& block = m_.function->blocks[b];
        std::uint32_t i = block.first;
        while (i < block.last &&
               (m_.instructions[i].fate != Fate::issued || ir::effect(*m_.module, m_.ir(i)) == Effect::lanes))
            ++i;
        return ir::effect(*m_.module, m_.ir(i)) == Effect::barrier;
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
    std::vector<Meeting> meetings_;                               // per block
};

}  // namespace

std::vector<bool> add_convergence(MachineFunction& m, ir::DominatorTree const& dominators,
                                  Divergence const& divergence, int capability) {
    return BarrierPlacer(m, dominators, divergence, capability).run();
}

}  // namespace warpsim::timing
