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
      local_varies_(m.function->blocks.size(), false),
      definitions_(m.function->registers.size()) {
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i)
        for (std::uint32_t const reg : m.writes[i]) definitions_[reg].push_back(m.function->block_of[i]);
    for (std::size_t p = 0; p < m.function->parameters.size(); ++p) {
        bool const is_register =
            p < m.function->parameter_in_register.size() && m.function->parameter_in_register[p];
        if (is_register) varies_[m.function->parameters[p]] = true;
    }
    do {
        find_splits();
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
        // All lanes find the same at one place at the same time, except in memory of their own; a generic address is taken for one that is
        // not, as ptxas does.
        using isa::StateSpace;
        StateSpace const space = m_.form(i).space;
        bool const is_parameter = space == StateSpace::param || space == StateSpace::param_entry;
        bool const is_own = space == StateSpace::local ? local_varies_[m_.function->block_of[i]]
                                                       : is_parameter && !m_.function->is_entry;
        return is_own || reads_varying(i);
    }
    isa::EffectFacts const& facts = isa::facts(effect);
    if (facts.is(isa::EffectFacts::same_value)) return false;
    return !facts.is(isa::EffectFacts::pure) || effect == Effect::create_policy || reads_varying(i);
}

/// Each lane has its own local memory, but all find the same there as long as all have written the same together.
bool Divergence::makes_local_vary(std::uint32_t i) const {
    Effect const effect = ir::effect(*m_.module, m_.ir(i));
    bool const is_local = m_.form(i).space == isa::StateSpace::local;
    // Through generic addresses, or in functions.
    if (effect == Effect::call || (effect == Effect::convert_address && is_local)) return true;
    if (effect != Effect::store || !is_local) return false;
    std::uint32_t const block = m_.function->block_of[i];
    return reads_varying(i) || std::any_of(splits_.begin(), splits_.end(),
                                           [&](Split const& split) { return split.sides[block] != 0; });
}

bool Divergence::spread_local() {
    std::vector<std::uint32_t> stack;
    for (std::uint32_t i = 0; i < m_.instructions.size(); ++i)
        if (makes_local_vary(i)) stack.push_back(m_.function->block_of[i]);
    bool changed = false;
    while (!stack.empty()) {
        std::uint32_t const b = stack.back();
        stack.pop_back();
        if (local_varies_[b]) continue;
        local_varies_[b] = changed = true;
        auto const& next = m_.function->blocks[b].successors;
        stack.insert(stack.end(), next.begin(), next.end());
    }
    return changed;
}

bool Divergence::spread() {
    bool changed = spread_local();
    for (bool again = true; again; changed |= again) {
        again = false;
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            auto const writes = m_.writes[i];
            if (std::all_of(writes.begin(), writes.end(), [&](std::uint32_t r) { return varies_[r]; })) continue;
            bool const is_varying = gives_varying(i);
            for (std::uint32_t const reg : writes) {
                if (varies_[reg] || !(is_varying || parts_definitions(m_.function->block_of[i], reg))) continue;
                varies_[reg] = again = true;
            }
        }
    }
    return changed;
}

/// Of several definitions of the register, some lanes execute this one, in that block, and others another. Not if all are on
/// one side of a branch, where no lane of the other side is.
bool Divergence::parts_definitions(std::uint32_t block, std::uint32_t reg) const {
    std::vector<std::uint32_t> const& all = definitions_[reg];
    if (all.size() < 2) return false;
    return std::any_of(splits_.begin(), splits_.end(), [&](Split const& split) {
        std::uint8_t const side = split.sides[block];
        if (side == 0) return false;
        bool const is_on_one = (side & (side - 1)) == 0 && !split.is_loop;
        return !is_on_one ||
               std::any_of(all.begin(), all.end(), [&](std::uint32_t b) { return split.sides[b] != side; });
    });
}

void Divergence::find_splits() {
    splits_.clear();
    std::size_t const blocks = m_.function->blocks.size();
    for (std::uint32_t b = 0; b < blocks; ++b) {
        if (!splits(b)) continue;
        Split split;
        split.sides.assign(blocks, 0);
        auto const& ways = m_.function->blocks[b].successors;
        // Of a table of branches all but the first seven ways count as one.
        for (std::size_t w = 0; w < ways.size(); ++w) {
            auto const side = static_cast<std::uint8_t>(1u << std::min<std::size_t>(w, 7));
            std::vector<std::uint32_t> stack{ways[w]};
            while (!stack.empty()) {
                std::uint32_t const s = stack.back();
                stack.pop_back();
                if (s == m_.function->blocks[b].reconvergence || (split.sides[s] & side) != 0) continue;
                split.sides[s] |= side;
                auto const& next = m_.function->blocks[s].successors;
                stack.insert(stack.end(), next.begin(), next.end());
            }
        }
        // The ways that count as one are not one side.
        if (ways.size() > 8)
            for (std::uint8_t& side : split.sides)
                if (side == 0x80) side = 0xc0;
        split.is_loop = split.sides[b] != 0;
        splits_.push_back(std::move(split));
    }
}

}  // namespace warpsim::timing
