// Launches of timing mode: where they stand between two cycles, and what stops them there.
#include "runtime/debug/debugger.hpp"
#include "sim/exec/fault.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::debug {

using timing::Cycle;

void Debugger::timed_launch(sim::LaunchContext const& launch, sim::SymbolAddresses const& symbols) {
    is_timed_ = true;
    next_launch_ = std::max(next_launch_, launches_);
    running_.push_back({&launch, &symbols, next_launch_++});
    if (running_.size() == 1) turn_to(&launch);
}

void Debugger::grid_begins(timing::GpuView const& gpu, Cycle at) {
    running_.back().launched_at = at;
    if (gpu_ != nullptr) return;
    gpu_ = &gpu;
    launched_at_ = cycle_ = looked_ = at;
}

Cycle Debugger::next_look() {
    Cycle next = engine::never;
    if (is_detached_ || is_abandoned_ || !is_timed_) return next;
    auto const not_before = [&](std::uint64_t cycle) { return std::max(launched_at_ + cycle, looked_); };
    if (search_) {
        if (search_->limit.launch == launches_ && search_->limit.cycle) next = not_before(*search_->limit.cycle);
        if (search_->what != Search::For::stop) return next;
    } else if (target_) {
        return target_->launch == launches_ && target_->cycle ? not_before(*target_->cycle) : next;
    } else {
        if (interrupted.load()) return looked_;
        if (step_to_) next = std::max(*step_to_, looked_);
    }
    for (Breakpoint const& b : breakpoints.all()) {
        if (!b.is_enabled) continue;
        for (Running const& r : running_)
            if (b.kind == Breakpoint::Kind::cycle && r.launched_at + b.cycle >= looked_)
                next = std::min(next, r.launched_at + b.cycle);
        if (b.kind == Breakpoint::Kind::catching && b.caught == Caught::stall) return looked_;
    }
    return next;
}

void Debugger::look(Cycle now) {
    looked_ = now + 1;
    cycle_ = now;
    if (target_) turn_to(target_->launch);
    else turn_to(focus_.kernel);
    at_cycle_ = cycle();
    if (search_) {
        if (!(here() < search_->limit)) end_search();
        if (search_->what != Search::For::stop) return;
        if (std::optional<CycleHit> h = cycle_hit(now, false))
            search_->add(here(), StopReason::breakpoint, h->breakpoint->number, std::move(h->text), h->focus);
        return;
    }
    if (target_) {
        // How many instructions come before a cycle is not known before.
        bool const is_there = target_->launch == launches_ && target_->cycle && *target_->cycle <= *at_cycle_;
        if (is_there) target_ = here();
        if (is_there) stops_at_target(nullptr, 0);
        return;
    }
    if (interrupted.exchange(false) && front_.wants_to_stop()) {
        stepping_.reset();
        return stop(nullptr, 0, {.reason = StopReason::interrupt, .text = "Interrupted"});
    }
    if (std::optional<CycleHit> const h = cycle_hit(now, true)) {
        stepping_.reset();
        int const number = h->breakpoint->number;
        bool const is_caught = h->breakpoint->kind == Breakpoint::Kind::catching;
        if (h->breakpoint->is_temporary) breakpoints.remove(number);
        return stop(nullptr, 0,
                    {.reason = is_caught ? StopReason::caught : StopReason::breakpoint,
                     .breakpoint = number,
                     .text = h->text},
                    h->focus);
    }
    if (step_to_ && *step_to_ <= now) stop(nullptr, 0, {.reason = StopReason::step, .text = {}});
}

/// The first breakpoint that stops before this cycle.
std::optional<Debugger::CycleHit> Debugger::cycle_hit(Cycle now, bool counts) {
    std::optional<CycleHit> first;
    std::optional<std::vector<timing::SmView>> sms;
    for (Breakpoint& b : breakpoints.all()) {
        if (!b.is_enabled) continue;
        std::optional<CycleHit> found;
        auto const its = std::find_if(running_.begin(), running_.end(),
                                      [&](Running const& r) { return r.launched_at + b.cycle == now; });
        if (b.kind == Breakpoint::Kind::cycle && its != running_.end()) {
            found = CycleHit{&b,
                             (b.is_temporary ? "Temporary breakpoint " : "Breakpoint ") +
                                 std::to_string(b.number) + ": cycle " + std::to_string(b.cycle) +
                                 (running_.size() > 1 ? " of kernel " + std::to_string(its->number) : ""),
                             {}};
        } else if (b.kind == Breakpoint::Kind::catching && b.caught == Caught::stall) {
            if (!sms) sms = gpu_->sms();
            found = stall_hit(b, *sms, now);
        }
        if (found && passes(b, counts) && !first) first = std::move(found);
    }
    return first;
}

/// A warp that waits for that reason, in the cycle in which it has done so for as long as was asked for.
std::optional<Debugger::CycleHit> Debugger::stall_hit(Breakpoint& b, std::vector<timing::SmView> const& sms,
                                                      Cycle now) {
    for (timing::SmView const& sm : sms) {
        if (b.sm && *b.sm != sm.number) continue;
        for (timing::WarpView const& w : sm.warps) {
            if (w.reason != b.stall || w.since + b.stall_cycles != now || w.warp->live() == 0) continue;
            if ((b.block && *b.block != w.cta->id) || (b.warp && *b.warp != w.warp->index)) continue;
            auto const its = std::find_if(running_.begin(), running_.end(),
                                          [&](Running const& r) { return r.launch == w.launch; });
            Focus const focus{w.cta->id, w.warp->index, std::countr_zero(w.warp->live()),
                              its != running_.end() ? its->number : launches_};
            return CycleHit{&b,
                            "Catchpoint " + std::to_string(b.number) + ": warp " + std::to_string(w.warp->index) +
                                " on SM " + std::to_string(sm.number) + " waits, " +
                                std::string(sim::name(b.stall)) +
                                (b.stall_cycles != 0 ? " for " + std::to_string(b.stall_cycles) + " cycles" : ""),
                            focus};
        }
    }
    return std::nullopt;
}

/// In timing mode the instruction has begun; where everything can run again, it does, up to there.
void Debugger::fault(sim::FaultEvent const& e) {
    if (!is_timed_ || is_detached_ || is_abandoned_ || is_repeating() || !turn_to(&e.launch)) return;
    sim::Fault const& f = e.fault;
    if (f.kind == FaultKind::time_limit || f.kind == FaultKind::interrupted) return;
    stepping_.reset();
    Stop at{.reason = StopReason::fault, .text = f.what};
    std::optional<Focus> focus;
    Moment place = here();
    if (f.has_place) {
        focus = Focus{f.cta, f.warp, static_cast<int>(f.lane), launches_};
        for (sim::Cta const* const cta : its_ctas())
            if (cta->id == f.cta && f.warp < cta->warps.size())
                if (auto const last = begun_.find(&cta->warps[f.warp]); last != begun_.end())
                    place = {launches_, last->second, {}};
    }
    if (std::exchange(is_at_fault_, false) && place == fault_at_) return;
    if (!f.has_place || !has_history()) {
        at_cycle_ = cycle();
        try {
            return stop(nullptr, 0, std::move(at), focus);
        } catch (RunAgain const&) {
            return;  // when the launch has ended
        }
    }
    is_at_fault_ = true;
    fault_at_ = place;
    target_ = place;
    at_target_ = std::move(at);
    focus_at_target_ = focus;
    is_abandoned_ = runs_again_ = true;
}

}  // namespace warpsim::debug
