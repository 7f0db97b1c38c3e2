// Launches, CTAs and activations, and what instructions use.
#include "runtime/check/init/init_check.hpp"

#include "frontend/isa/operands.hpp"

#include <algorithm>
#include <bit>
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

}  // namespace warpsim::check
