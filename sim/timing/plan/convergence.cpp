#include "sim/timing/plan/convergence.hpp"

#include "frontend/ir/registers.hpp"

#include <algorithm>
#include <map>

namespace warpsim::timing {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

/// Registers that may hold something else in each lane, as a compiler sees it.
class Divergence {
public:
    explicit Divergence(MachineFunction const& m)
        : m_(m), varies_(m.function->registers.size(), false), is_split_(m.function->blocks.size(), false),
          definitions_(m.function->registers.size(), 0) {
        for (std::uint32_t const reg : m.writes.items) ++definitions_[reg];
        for (std::size_t p = 0; p < m.function->parameters.size(); ++p) {
            bool const is_register = p < m.function->parameter_in_register.size() && m.function->parameter_in_register[p];
            if (is_register) varies_[m.function->parameters[p]] = true;
        }
        do {
            find_split_blocks();
        } while (spread());
    }

    bool varies(std::uint32_t reg) const { return varies_[reg]; }
    /// Lanes may leave the block on different ways, none of which ends the program.
    bool splits(std::uint32_t b) const {
        ir::Block const& block = m_.function->blocks[b];
        Effect const effect = ir::effect(*m_.module, m_.ir(block.last));
        if (block.successors.size() < 2) return false;
        bool const is_divergent = effect == Effect::branch_indexed ? reads_varying(block.last)
                                  : effect == Effect::branch && m_.ir(block.last).guard != ir::none && varies_[m_.ir(block.last).guard];
        auto const& next = block.successors;
        return is_divergent && std::none_of(next.begin(), next.end(), [&](std::uint32_t s) { return only_ends(*m_.module, *m_.function, s); });
    }
    bool reads_varying(std::uint32_t i) const {
        auto const reads = m_.reads[i];
        return std::any_of(reads.begin(), reads.end(), [&](std::uint32_t r) { return varies_[r]; });
    }

private:
    bool gives_varying(std::uint32_t i) const {
        switch (ir::effect(*m_.module, m_.ir(i))) {
            case Effect::move: return reads_varying(i) || moves_lane_number(i);
            case Effect::lanes:
            case Effect::convert_address:
            case Effect::is_space: return reads_varying(i);
            case Effect::load: {
                isa::StateSpace const space = m_.form(i).space;
                bool const is_constant = space == isa::StateSpace::constant || space == isa::StateSpace::param || space == isa::StateSpace::param_entry;
                return !is_constant || !m_.function->is_entry || reads_varying(i);
            }
            case Effect::vote:
            case Effect::active_mask:
            case Effect::reduce_warp: return false;
            default: return true;
        }
    }
    bool moves_lane_number(std::uint32_t i) const {
        auto const operands = m_.operands(i);
        return std::any_of(operands.begin(), operands.end(), [](ir::Operand const& o) {
            if (o.kind != Kind::special) return false;
            using S = ir::SpecialRegister;
            auto const which = static_cast<S>(o.index);
            return which == S::tid || which == S::laneid || which == S::warpid || (which >= S::lanemask_eq && which <= S::globaltimer_hi);
        });
    }

    bool spread() {
        bool changed = false;
        for (bool again = true; again; changed |= again) {
            again = false;
            for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
                auto const writes = m_.writes[i];
                if (std::all_of(writes.begin(), writes.end(), [&](std::uint32_t r) { return varies_[r]; })) continue;
                bool const is_varying = gives_varying(i);
                bool const is_split = is_split_[m_.function->block_of[i]];
                for (std::uint32_t const reg : writes) {
                    if (varies_[reg] || !(is_varying || (is_split && definitions_[reg] > 1))) continue;
                    varies_[reg] = again = true;
                }
            }
        }
        return changed;
    }

    /// Blocks that only some lanes may be in.
    void find_split_blocks() {
        std::fill(is_split_.begin(), is_split_.end(), false);
        std::vector<std::uint32_t> seen(is_split_.size(), ir::none);
        for (std::uint32_t b = 0; b < m_.function->blocks.size(); ++b) {
            if (!splits(b)) continue;
            ir::Block const& block = m_.function->blocks[b];
            std::vector<std::uint32_t> stack(block.successors.begin(), block.successors.end());
            while (!stack.empty()) {
                std::uint32_t const s = stack.back();
                stack.pop_back();
                if (s == block.reconvergence || seen[s] == b) continue;
                seen[s] = b;
                is_split_[s] = true;
                stack.insert(stack.end(), m_.function->blocks[s].successors.begin(), m_.function->blocks[s].successors.end());
            }
        }
    }

    MachineFunction const& m_;
    std::vector<bool> varies_, is_split_;
    std::vector<std::uint32_t> definitions_;
};

class Placer {
public:
    Placer(MachineFunction& m, Dominators const& dominators, int capability)
        : m_(m), dominators_(dominators), divergence_(m), notes_(capability < 80 ? 2 : 1) {
        for (std::uint32_t b = 0; b < m.function->blocks.size(); ++b) {
            for (std::uint32_t const s : m.function->blocks[b].successors) {
                if (s <= b) loops_.push_back({s, b});
            }
        }
    }

    void run() {
        std::map<std::uint32_t, std::uint32_t> meets;   // the block where lanes meet, the one that they part in
        for (std::uint32_t b = 0; b < m_.function->blocks.size(); ++b) {
            std::uint32_t const meet = m_.function->blocks[b].reconvergence;
            if (meet == ir::none || !dominators_.is_reached(b) || !divergence_.splits(b) || only_ends(*m_.module, *m_.function, meet)) continue;
            auto const [it, is_new] = meets.try_emplace(meet, b);
            if (!is_new) it->second = dominators_.common(it->second, b);
        }
        for (auto const& [meet, part] : meets) {
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
        if (m_.instructions[i].fate != Fate::issued || !isa::is_float(form.types[0]) || !divergence_.reads_varying(i)) return false;
        if (form.opcode == "rsqrt") return form.types[0] == isa::Type::f64 && !form.ftz;
        bool const is_exact = !form.has(".approx") && !form.has(".full");
        return is_exact && (form.opcode == "div" || form.opcode == "rcp" || form.opcode == "sqrt");
    }

    /// Lanes that leave a loop at different rounds are noted in front of it.
    std::uint32_t outside_loops(std::uint32_t part, std::uint32_t meet) const {
        for (bool moved = true; moved;) {
            moved = false;
            for (auto const& [head, end] : loops_) {
                bool const is_inside = head <= part && part <= end && (meet < head || meet > end);
                if (!is_inside || dominators_.above(head) == head || dominators_.above(head) >= head) continue;
                part = dominators_.above(head);
                moved = true;
            }
        }
        return part;
    }

    /// The instruction of the block that they are issued with: in front of what the block ends with, or at its begin.
    std::uint32_t carrier(std::uint32_t b, bool at_end) const {
        ir::Block const& block = m_.function->blocks[b];
        std::uint32_t found = ir::none;
        for (std::uint32_t k = 0; k <= block.last - block.first; ++k) {
            std::uint32_t const i = at_end ? block.last - k : block.first + k;
            if (m_.instructions[i].fate != Fate::issued) continue;
            if (found == ir::none) found = i;
            Effect const effect = ir::effect(*m_.module, m_.ir(i));
            if (effect == Effect::lanes) return i;
            if (effect == Effect::barrier || effect == Effect::call) break;
        }
        return found;
    }
    void add(std::uint32_t i, int count) {
        if (i == ir::none) return;
        m_.instructions[i].convergence = static_cast<std::uint8_t>(std::min(m_.instructions[i].convergence + count, 200));
    }

    MachineFunction& m_;
    Dominators const& dominators_;
    Divergence divergence_;
    int notes_;   // until 7.5 the place of the note is cleared before (BMOV)
    std::vector<std::pair<std::uint32_t, std::uint32_t>> loops_;   // first and last block
};

}  // namespace

void add_convergence(MachineFunction& m, Dominators const& dominators, int capability) { Placer(m, dominators, capability).run(); }

}  // namespace warpsim::timing
