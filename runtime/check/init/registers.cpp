// What an instruction does to registers.
#include "runtime/check/init/init_check.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpsim::check {

namespace {

/// What a register gets of the bits of a result.
Bits bits_for(Target const& t, Bits bits) {
    if (t.bits < t.register_bits && t.bits < 64 && t.is_signed && t.bits > 0 && (bits >> (t.bits - 1) & 1) != 0)
        bits |= ~low_bits(t.bits);
    return bits & low_bits(t.register_bits);
}

}  // namespace

Bits InitCheck::source_bits(FrameShadow const& f, Source const& s, unsigned lane) {
    if (s.reg == ir::none) return 0;
    Bits bits = f.bits(s.reg, lane);
    bool const is_widened = s.bits > s.register_bits && s.is_signed && s.register_bits < 64;
    if (is_widened && (bits >> (s.register_bits - 1) & 1) != 0) bits |= ~low_bits(s.register_bits);
    return bits & low_bits(s.bits);
}

Term InitCheck::term(sim::Site const& site, FrameShadow const& f, Source const& s, unsigned lane) const {
    if (s.reg == ir::none) return {s.bits == 1 && s.is_negated ? s.value ^ 1 : s.value, 0};
    sim::Slot const slot = site.frame.function->register_slot[s.reg];
    std::byte const* const base = (slot & 3) == 0 ? site.frame.registers.get() : site.warp.bases[slot & 3];
    std::byte const* const column = base + (slot & ~3);
    std::uint64_t value = 0;
    if (s.register_bits == 1) {
        LaneMask mask = 0;
        std::memcpy(&mask, column, sizeof mask);
        value = (mask >> lane & 1) ^ (s.is_negated ? 1u : 0u);
    } else {
        std::size_t const bytes = s.register_bits <= 16 ? 2 : std::min(s.register_bits / 8, 16u);
        std::memcpy(&value, column + lane * bytes, std::min<std::size_t>(bytes, 8));
        if (s.register_bits < 64) value &= low_bits(s.register_bits);
        bool const is_negative = s.is_signed && s.register_bits < 64 && (value >> (s.register_bits - 1) & 1) != 0;
        if (is_negative && s.bits > s.register_bits) value |= ~low_bits(s.register_bits);
    }
    return {value & low_bits(s.bits), source_bits(f, s, lane)};
}

void InitCheck::carry_over(sim::InstructionEvent const& e, FrameShadow& f, Step const& step) {
    switch (step.way) {
        case Way::rule: return apply_rule(e.site, f, step, e.mask);
        case Way::pack:
        case Way::unpack:
        case Way::elements: return move_parts(f, step, e.mask);
        case Way::matrix: return multiply(e.site, f, step);
        case Way::defined:
            for (Target const& t : step.targets)
                if (t.reg != ir::none) f.define(t.reg, e.mask);
            return;
        case Way::product: return multiply_warpgroup(e.site, f, step);
        case Way::transpose: return transpose(f, step);
        case Way::later: return;
    }
}

void InitCheck::apply_rule(sim::Site const& site, FrameShadow& f, Step const& step, LaneMask mask) {
    LaneMask concerned = 0, stale = 0;
    for (Source const& s : step.sources)
        if (s.reg != ir::none) concerned |= f.undefined(s.reg);
    for (Target const& t : step.targets)
        if (t.reg != ir::none) stale |= f.undefined(t.reg);
    concerned &= mask;
    if (((concerned | stale) & mask) == 0) return;
    bool const cancels = (step.facts.rule == Rule::bit_xor || step.facts.rule == Rule::subtract) &&
                         step.sources[0].reg == step.sources[1].reg;
    if (cancels) concerned = 0;
    for (Target const& t : step.targets)
        if (t.reg != ir::none) f.define(t.reg, mask & ~concerned);
    std::array<Term, isa::max_sources + 1> terms;
    std::size_t const count = std::min(step.sources.size(), terms.size());
    for (LaneMask m = concerned; m != 0; m &= m - 1) {
        auto const lane = static_cast<unsigned>(std::countr_zero(m));
        OriginId origin = 0;
        Bits all = 0;
        for (std::size_t i = 0; i < count; ++i) {
            terms[i] = term(site, f, step.sources[i], lane);
            all |= terms[i].undefined;
            if (origin == 0 && terms[i].undefined != 0) origin = f.origin(step.sources[i].reg, lane);
        }
        Bits const result = undefined_result(step.facts, {terms.data(), count});
        for (std::size_t i = 0; i < step.targets.size(); ++i) {
            Target const& t = step.targets[i];
            if (t.reg == ir::none) continue;
            Bits bits = i == 0 ? result : all != 0 ? low_bits(t.bits) : 0;
            if (step.facts.rule == Rule::compare) {
                bits = result >> std::min<std::size_t>(i, 1) & 1;
                if (bits != 0) bits = low_bits(t.bits);
            }
            f.set(t.reg, lane, bits_for(t, bits), origin);
        }
    }
}

/// mov between a register and its parts. Of 128 bits, a bit of shadow stands for two.
void InitCheck::move_parts(FrameShadow& f, Step const& step, LaneMask mask) {
    auto const halved = [](Bits bits) {
        Bits r = 0;
        for (unsigned i = 0; i < 32; ++i) r |= Bits{(bits >> (2 * i) & 3) != 0} << i;
        return r;
    };
    auto const doubled = [](Bits bits) {
        Bits r = 0;
        for (unsigned i = 0; i < 32; ++i) r |= (bits >> i & 1) * Bits{3} << (2 * i);
        return r;
    };
    LaneMask concerned = 0, stale = 0;
    for (Source const& s : step.sources)
        if (s.reg != ir::none) concerned |= f.undefined(s.reg);
    for (Target const& t : step.targets)
        if (t.reg != ir::none) stale |= f.undefined(t.reg);
    if (((concerned | stale) & mask) == 0) return;
    for (LaneMask m = mask & (concerned | stale); m != 0; m &= m - 1) {
        auto const lane = static_cast<unsigned>(std::countr_zero(m));
        std::array<Bits, 8> parts{};
        std::array<OriginId, 8> origins{};
        std::size_t const count = std::min<std::size_t>(step.sources.size(), parts.size());
        for (std::size_t i = 0; i < count; ++i) {
            parts[i] = source_bits(f, step.sources[i], lane);
            if (step.sources[i].reg != ir::none) origins[i] = f.origin(step.sources[i].reg, lane);
        }
        if (step.way == Way::pack) {
            bool const is_wide = step.targets[0].bits > 64;
            unsigned const width = step.sources[0].bits / (is_wide ? 2 : 1);
            Bits whole = 0;
            OriginId origin = 0;
            for (std::size_t i = 0; i < count; ++i) {
                Bits const part = is_wide ? halved(parts[i]) : parts[i];
                whole |= part << (width * i);
                if (origin == 0 && part != 0) origin = origins[i];
            }
            if (step.targets[0].reg != ir::none)
                f.set(step.targets[0].reg, lane, bits_for(step.targets[0], whole), origin);
            continue;
        }
        for (std::size_t i = 0; i < step.targets.size(); ++i) {
            Target const& t = step.targets[i];
            if (t.reg == ir::none) continue;
            if (step.way == Way::elements) {
                f.set(t.reg, lane, bits_for(t, i < count ? parts[i] : 0), i < count ? origins[i] : 0);
                continue;
            }
            bool const is_wide = step.sources[0].bits > 64;
            unsigned const width = t.bits / (is_wide ? 2 : 1);
            Bits const part = parts[0] >> (width * i) & low_bits(width);
            f.set(t.reg, lane, bits_for(t, is_wide ? doubled(part) : part), origins[0]);
        }
    }
}

}  // namespace warpsim::check
