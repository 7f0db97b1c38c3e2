#include "sim/timing/plan/divergence.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"

#include <algorithm>

namespace warpsim::timing {

using isa::Effect;
using Kind = ir::Operand::Kind;

namespace {

bool moves_lane_number(MachineFunction const& m, std::uint32_t i) {
    auto const operands = m.operands(i);
    return std::any_of(operands.begin(), operands.end(), [](ir::Operand const& o) {
        if (o.kind != Kind::special) return false;
        using S = ir::SpecialRegister;
        auto const which = static_cast<S>(o.index);
        return which == S::tid || which == S::laneid || which == S::warpid ||
               (which >= S::lanemask_eq && which <= S::globaltimer_hi);
    });
}

}  // namespace

void mark_parted_blocks(ir::Function const& f, std::uint32_t b, std::vector<std::uint32_t>& seen,
                        std::vector<bool>& parted) {
    ir::Block const& block = f.blocks[b];
    std::vector<std::uint32_t> stack(block.successors.begin(), block.successors.end());
    while (!stack.empty()) {
        std::uint32_t const s = stack.back();
        stack.pop_back();
        if (s == block.reconvergence || seen[s] == b) continue;
        seen[s] = b;
        parted[s] = true;
        stack.insert(stack.end(), f.blocks[s].successors.begin(), f.blocks[s].successors.end());
    }
}

Divergence::Divergence(MachineFunction const& m)
    : m_(m),
      varies_(m.function->registers.size(), false),
      is_split_(m.function->blocks.size(), false),
      definitions_(m.function->registers.size(), 0) {
    for (std::uint32_t const reg : m.writes.items) ++definitions_[reg];
    for (std::size_t p = 0; p < m.function->parameters.size(); ++p) {
        bool const is_register =
            p < m.function->parameter_in_register.size() && m.function->parameter_in_register[p];
        if (is_register) varies_[m.function->parameters[p]] = true;
    }
    do {
        find_split_blocks();
    } while (spread());
}

bool Divergence::splits(std::uint32_t b) const {
    ir::Block const& block = m_.function->blocks[b];
    Effect const effect = ir::effect(*m_.module, m_.ir(block.last));
    if (block.successors.size() < 2) return false;
    bool const is_divergent =
        effect == Effect::branch_indexed
            ? reads_varying(block.last)
            : effect == Effect::branch && m_.ir(block.last).guard != ir::none && varies_[m_.ir(block.last).guard];
    auto const& next = block.successors;
    return is_divergent && std::none_of(next.begin(), next.end(),
                                        [&](std::uint32_t s) { return only_ends(*m_.module, *m_.function, s); });
}

bool Divergence::reads_varying(std::uint32_t i) const {
    auto const reads = m_.reads[i];
    return std::any_of(reads.begin(), reads.end(), [&](std::uint32_t r) { return varies_[r]; });
}

bool Divergence::gives_varying(std::uint32_t i) const {
    Effect const effect = ir::effect(*m_.module, m_.ir(i));
    if (effect == Effect::move) return reads_varying(i) || moves_lane_number(m_, i);
    if (effect == Effect::load) {
        isa::StateSpace const space = m_.form(i).space;
        bool const is_constant = space == isa::StateSpace::constant || space == isa::StateSpace::param ||
                                 space == isa::StateSpace::param_entry;
        return !is_constant || !m_.function->is_entry || reads_varying(i);
    }
    isa::EffectFacts const& facts = isa::facts(effect);
    if (facts.is(isa::EffectFacts::same_value)) return false;
    return !facts.is(isa::EffectFacts::pure) || effect == Effect::create_policy || reads_varying(i);
}

bool Divergence::spread() {
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

void Divergence::find_split_blocks() {
    std::fill(is_split_.begin(), is_split_.end(), false);
    std::vector<std::uint32_t> seen(is_split_.size(), ir::none);
    for (std::uint32_t b = 0; b < m_.function->blocks.size(); ++b) {
        if (splits(b)) mark_parted_blocks(*m_.function, b, seen, is_split_);
    }
}

}  // namespace warpsim::timing
