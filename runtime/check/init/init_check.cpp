// Launches, CTAs and activations, and what an instruction does to registers.
#include "runtime/check/init/init_check.hpp"

#include "frontend/isa/operands.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace warpsim::check {

InitCheck::InitCheck(Findings& findings, bool is_strict, std::function<std::string()> present_call,
                     std::shared_ptr<InitPeers> peers)
    : findings_(findings),
      is_strict_(is_strict),
      present_call_(std::move(present_call)),
      peers_(peers ? std::move(peers) : std::make_shared<InitPeers>()),
      host_(*peers_) {
    std::lock_guard const lock(peers_->mutex);
    peers_->all.push_back(this);
}

InitCheck::~InitCheck() {
    std::lock_guard const lock(peers_->mutex);
    std::erase(peers_->all, this);
}

void InitCheck::launch_begins(sim::LaunchBegin const& e) {
    host_.begin_launch();
    if (!e.is_watched) global_.define(0, UINT64_MAX);  // nobody sees what it writes
    launch_ = &e.launch;
    origins_.begin_launch();
    std::erase_if(steps_, [](auto const& known) { return known.second.source.use_count() == 1; });
    frames_.clear();
    last_frame_ = nullptr;
    ctas_.clear();
    last_cta_ = nullptr;
}

void InitCheck::launch_ends(sim::LaunchEnd const&) {
    host_.end_launch([&](HostEvent const& e) { hear(e); });
    frames_.clear();
    last_frame_ = nullptr;
    ctas_.clear();
    last_cta_ = nullptr;
    launch_ = nullptr;
}

void InitCheck::cta_starts(sim::CtaStart const& e) {
    std::unique_ptr<CtaShadow> fresh;
    if (free_ctas_.empty()) {
        fresh = std::make_unique<CtaShadow>();
    } else {
        fresh = std::move(free_ctas_.back());
        free_ctas_.pop_back();
    }
    fresh->shared.reset(launch_->shared_bytes);
    fresh->tensor.reset();
    // The system's part of shared memory is its own business.
    if (launch_->plan.reads_reserved_shared)
        define_bytes(fresh->shared.bytes.data() + launch_->user_shared,
                     launch_->shared_bytes - launch_->user_shared);
    fresh->warps.resize(e.cta.warps.size());
    for (WarpShadow& w : fresh->warps) {
        w.local.flat().reset(0);
        w.passed.clear();
    }
    ctas_[e.cta.linear] = std::move(fresh);
    last_cta_ = nullptr;
}

void InitCheck::cta_ends(sim::CtaEnd const& e) {
    auto const at = ctas_.find(e.cta.linear);
    if (at == ctas_.end()) return;
    free_ctas_.push_back(std::move(at->second));
    ctas_.erase(at);
    last_cta_ = nullptr;
}

InitCheck::CtaShadow& InitCheck::cta(sim::Cta const& of) {
    if (last_cta_ != nullptr && last_cta_number_ == of.linear) return *last_cta_;
    auto& entry = ctas_[of.linear];
    if (!entry) {  // its last thread has ended, and copies of it still arrive
        entry = std::make_unique<CtaShadow>();
        entry->shared.bytes.assign(launch_->shared_bytes, 0);
        entry->warps.resize(of.warps.size());
    }
    last_cta_number_ = of.linear;
    last_cta_ = entry.get();
    return *last_cta_;
}

sim::Cta const& InitCheck::owner(sim::Cta const& from, std::uint64_t address) const {
    std::uint64_t const rank = address >> sim::rank_shift;
    if (rank < 2 || rank - 2 >= from.cluster->ctas.size()) return from;
    return from.cluster->ctas[rank - 2];
}

FunctionSteps const& InitCheck::steps_of(ir::Function const& function) {
    FunctionSteps& known = steps_[&function];
    ir::Module const& module = *launch_->plan.module;
    std::shared_ptr<frontend::Source const> const source =
        module.sources.empty() ? nullptr : module.sources.front();
    if (known.function != &function || known.source != source) known = make_steps(module, function);
    return known;
}

FrameShadow& InitCheck::frame(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& of) {
    if (last_frame_ != nullptr && last_frame_->is_of(of)) return *last_frame_;
    FrameShadow& known = frames_[&of];
    last_frame_ = &known;
    return known.is_of(of) ? known : begin_frame(cta, warp, of);
}

FrameShadow& InitCheck::begin_frame(sim::Cta const& in, sim::Warp const& warp, sim::Frame const& of) {
    FrameShadow& f = frames_[&of];
    if (f.can_begin_again(of)) return f;
    ir::Function const& function = *of.function->function;
    FunctionSteps const& steps = steps_of(function);
    f.begin(of, steps);
    for (std::uint32_t const reg : steps.unwritten) {
        OriginKey const key{OriginKey::Sort::reg, reg, of.function->index, 0};
        OriginId const id = origins_.of(key, [&] {
            Origin origin;
            origin.space = "register";
            origin.what = "register " + function.registers[reg].name + ", which nothing has written";
            return origin;
        });
        unsigned const width = static_cast<unsigned>(isa::width(function.registers[reg].type));
        for (LaneMask m = of.lanes; m != 0; m &= m - 1)
            f.set(reg, static_cast<unsigned>(std::countr_zero(m)), low_bits(width), id);
    }
    WarpShadow& w = cta(in).warps[warp.index];
    if (of.function->local_bytes != 0)
        w.local.undefine(of.local_base, of.local_base + of.function->local_bytes, of.lanes);
    receive_arguments(f, warp, of, w);
    return f;
}

void InitCheck::instruction(sim::InstructionEvent const& e) {
    FrameShadow& f = frame(e.site);
    isa::Effect const effect = e.site.op.effect;
    if (effect == isa::Effect::stack_restore || effect == isa::Effect::stack_alloc) begin_stack(e);
    // Their factors may be in shared memory.
    if (f.is_clean() && effect != isa::Effect::warpgroup_multiply) return;
    Step const& step = f.steps().steps[e.site.op.instruction];
    if (!step.used.empty()) check_uses(e, f, step);
    if (e.mask != 0) carry_over(e, f, step);
}

void InitCheck::check_uses(sim::InstructionEvent const& e, FrameShadow& f, Step const& step) {
    for (UsedRegister const& used : step.used) {
        bool const is_guard =
            used.use == Use::guard || (used.use == Use::branch && step.effect == isa::Effect::branch);
        LaneMask const lanes = f.undefined(used.reg) & (is_guard ? e.active : e.mask);
        if (lanes == 0) continue;
        auto const lane = static_cast<unsigned>(std::countr_zero(lanes));
        report(used.use, e.site, lanes, lane, f.origin(used.reg, lane));
        f.define(used.reg, lanes);  // what follows from it is not told again
    }
}

/// alloca and stackrestore: memory above the top of the stack is anybody's again.
void InitCheck::begin_stack(sim::InstructionEvent const& e) {
    if (!e.site.frame.stack) return;
    std::uint64_t const bottom = e.site.frame.local_base + e.site.frame.function->local_bytes;
    for (LaneMask m = e.mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::uint64_t const top = std::max(bottom, (*e.site.frame.stack)[static_cast<std::size_t>(lane)]);
        InterleavedShadow& local = warp(e.site).local;
        if (top < local.size()) local.undefine(top, local.size(), LaneMask{1} << lane);
    }
}

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
    std::byte const* const column = site.frame.registers.get() + slot;
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

namespace {

/// What a register gets of the bits of a result.
Bits bits_for(Target const& t, Bits bits) {
    if (t.bits < t.register_bits && t.bits < 64 && t.is_signed && t.bits > 0 && (bits >> (t.bits - 1) & 1) != 0)
        bits |= ~low_bits(t.bits);
    return bits & low_bits(t.register_bits);
}

}  // namespace

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
