#include "sim/timing/plan/convergence.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <map>
#include <set>

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
          notes_(capability < 80 ? 2 : 1),
          yields_(capability < 80 ? 6 : 1) {
        for (std::uint32_t b = 0; b < m.function->blocks.size(); ++b) {
            for (std::uint32_t const s : m.function->blocks[b].successors) {
                if (s <= b) loops_.push_back({s, b});
            }
        }
    }

    void run() {
        std::map<std::uint32_t, std::uint32_t> meets;  // reconvergence point, block in which the lanes diverge
        for (std::uint32_t b = 0; b < m_.function->blocks.size(); ++b) {
            std::uint32_t const meet = m_.function->blocks[b].reconvergence;
            if (meet == ir::none || !dominators_.is_reached(b) || !divergence_.splits(b) ||
                only_ends(*m_.module, *m_.function, meet))
                continue;
            auto const [it, is_new] = meets.try_emplace(meet, b);
            if (!is_new) it->second = dominators_.common(it->second, b);
        }
        std::set<std::uint32_t> spun;  // where lanes meet that have waited in a loop
        for (std::uint32_t b = 0; b < m_.function->blocks.size(); ++b) {
            if (!spins(b)) continue;
            add(carrier(b, true), yields_);
            spun.insert(m_.function->blocks[b].reconvergence);
        }
        for (auto const& [meet, part] : meets) {
            // A barrier makes them wait for one another as well (WARPSYNC).
            if (!(spun.contains(meet) && begins_with_barrier(meet)))
                add(carrier(outside_loops(part, meet), true), notes_);
            add(carrier(meet, false), 1);
        }
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            if (may_call(i)) add(i, notes_ + 1);
        }
    }

private:
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

    /// A loop of one block whose lanes wait for other threads, each for its own.
    bool spins(std::uint32_t b) const {
        ir::Block const& block = m_.function->blocks[b];
        if (std::find(block.successors.begin(), block.successors.end(), b) == block.successors.end() ||
            !dominators_.is_reached(b) || !divergence_.splits(b))
            return false;
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            Effect const effect = ir::effect(*m_.module, m_.ir(i));
            ir::Form const& form = m_.form(i);
            bool const is_strong = form.order != isa::Order::weak || form.has(isa::Modifier::volatile_);
            if (effect == Effect::atomic || (effect == Effect::load && is_strong)) return true;
        }
        return false;
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
    int notes_;   // until 7.5, the barrier register is cleared first (BMOV)
    int yields_;  // until 7.5, those that go on meet first, by votes
    std::vector<std::pair<std::uint32_t, std::uint32_t>> loops_;  // first and last block
};

}  // namespace

void add_convergence(MachineFunction& m, ir::DominatorTree const& dominators, Divergence const& divergence,
                     int capability) {
    BarrierPlacer(m, dominators, divergence, capability).run();
}

}  // namespace warpsim::timing
