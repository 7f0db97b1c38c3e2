#include "sim/timing/sm/sm.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace warpsim::timing {

using engine::never;
using sim::StallReason;

namespace {

// Reading a special register: NAK's estimate for Turing and later.
constexpr Cycle special_latency = 16;

// Makers of values beyond the units: from which level the data come.
constexpr std::uint8_t made_by_memory = 0x80;
constexpr std::uint8_t made_by_shared = 0x81;

StallReason waiting_for(std::uint8_t maker) {
    if (maker == made_by_memory) return StallReason::long_scoreboard;
    if (maker == made_by_shared) return StallReason::short_scoreboard;
    switch (static_cast<MicroUnit>(maker)) {
        case MicroUnit::sfu:
        case MicroUnit::shuffle:
        case MicroUnit::special: return StallReason::short_scoreboard;
        case MicroUnit::constant: return StallReason::imc_miss;
        default: return StallReason::wait;
    }
}

}  // namespace

Sm::Sm(sim::Config const& config, sim::LaunchContext const& launch, TimingPlan const& plan, std::uint32_t number,
       AddressMap const& map, std::uint32_t ctas, std::uint32_t l1_kib)
    : config_(config),
      launch_(launch),
      plan_(plan),
      number_(number),
      sub_core_count_(config.sm.sub_cores),
      recorder_(config),
      interpreter_(launch, &recorder_),
      data_path_(config, number, map, l1_kib),
      instructions_(*config.sm.front_end, config.sm.sub_cores),
      board_stride_((plan.most_slots + 7) / 8 * 8),
      board_(std::size_t{config.sm.max_warps} * board_stride_, 0),
      makers_(std::size_t{config.sm.max_warps} * board_stride_, 0),
      places_(ctas),
      free_places_(ctas),
      branches_(plan.branches),
      constants_(*config.sm.constant, config.interconnect->request_latency_cycles + config.interconnect->reply_latency_cycles +
                                          config.l2.slices->hit_latency_cycles) {
    interpreter_.on_clock(&recorder_);
    sim::UnitsConfig const& u = *config.sm.units;
    auto const unit = [&](MicroUnit which, sim::UnitConfig const& c) {
        auto const i = static_cast<std::size_t>(which);
        latencies_[i] = c.latency_cycles;
        intervals_[i] = std::max(c.issue_interval_cycles, 1u);
        per_sm_[i] = c.per_sm;
    };
    intervals_.fill(1);
    latencies_.fill(1);
    unit(MicroUnit::alu, u.alu);
    unit(MicroUnit::fma, u.fma);
    unit(MicroUnit::fp16, u.fp16);
    unit(MicroUnit::fp64, u.fp64);
    unit(MicroUnit::sfu, u.sfu);
    unit(MicroUnit::branch, u.branch);
    unit(MicroUnit::shuffle, u.shuffle);
    unit(MicroUnit::vote, u.vote);
    if (u.uniform) unit(MicroUnit::uniform, *u.uniform);
    if (u.tensor) latencies_[static_cast<std::size_t>(MicroUnit::tensor)] = u.tensor->latency_cycles;
    latencies_[static_cast<std::size_t>(MicroUnit::special)] = special_latency;
    intervals_[static_cast<std::size_t>(MicroUnit::special)] = intervals_[static_cast<std::size_t>(MicroUnit::sfu)] / 2;
    latencies_[static_cast<std::size_t>(MicroUnit::constant)] = config.sm.constant->l1_latency_cycles;
    for (std::uint32_t s = 0; s < sub_core_count_; ++s) {
        SubCore core;
        core.wake.fill(never);
        core.scheduler = make_scheduler(config.sm.schedulers);
        sub_cores_.push_back(std::move(core));
    }
}

void Sm::place(std::uint64_t cta, Cycle at) {
    --free_places_;
    add_start({at, cta, nullptr});
}

void Sm::place(sim::Cta& cta, Cycle at) {
    --free_places_;
    add_start({at, cta.linear, &cta});
}

void Sm::add_start(Start const& start) {
    auto const later = std::upper_bound(starting_.begin(), starting_.end(), start, [](Start const& a, Start const& b) { return a.at < b.at; });
    starting_.insert(later, start);
}

Cycle Sm::next_event() const {
    if (failure_) return never;
    Cycle next = std::min({inbox_.next_time(), peer_inbox_.next_time(), data_path_.next_event()});
    if (!events_.empty()) next = std::min(next, events_.back().at);
    if (!starting_.empty()) next = std::min(next, starting_.front().at);
    for (SubCore const& core : sub_cores_) next = std::min(next, core.next);
    return next;
}

void Sm::run(Cycle end) {
    try {
        for (Cycle now = next_event(); now < end; now = next_event()) {
            if (observation_ && observation_->intervals().ends_by(now)) observation_->intervals().note(now, totals());
            now_ = now;
            for (; inbox_.next_time() <= now; inbox_.pop()) data_path_.receive(now, inbox_.front(), arrivals_);
            while (!starting_.empty() && starting_.front().at <= now) {
                Start const start = starting_.front();
                starting_.erase(starting_.begin());
                begin_cta(start);
            }
            if (peer_inbox_.next_time() <= now) take_messages(now);
            if (!events_.empty() && events_.back().at <= now) take_events(now);
            while (data_path_.next_event() <= now) data_path_.run(arrivals_);
            take_arrivals();
            for (std::uint32_t s = 0; s < sub_core_count_; ++s) {
                SubCore& core = sub_cores_[s];
                if (core.queued != 0 && data_path_.accepts(s)) {
                    for (WarpMask m = core.queued; m != 0; m &= m - 1) {
                        auto const w = static_cast<std::uint32_t>(std::countr_zero(m));
                        wake(w) = now;
                    }
                    core.queued = 0;
                    core.next = now;
                }
                if (core.next <= now) issue_slot(s, now);
            }
        }
    } catch (...) {
        failure_ = Failure{now_, std::current_exception()};
    }
}

void Sm::begin_cta(Start const& start) {
    Cycle const now = start.at;
    std::uint32_t p = 0;
    while (places_[p].used) ++p;
    Place& place = places_[p];
    place.resident = start.of_cluster;
    if (place.resident == nullptr) {
        if (!place.own) place.own = std::make_unique<sim::Cluster>();
        interpreter_.start(*place.own, start.cta, number_);
        place.resident = &place.own->ctas.front();
    }
    place.cluster_release = 0;
    place.suspended = 0;
    place.used = true;
    place.live = static_cast<std::uint32_t>(place.cta().warps.size());
    place.barrier_free = now;
    place.warps.clear();
    if (resident_++ == 0) active_since_ = now;
    for (sim::Warp& warp : place.cta().warps) {
        auto const w = static_cast<std::uint32_t>(std::countr_one(used_warps_));
        used_warps_ |= WarpMask{1} << w;
        place.warps.push_back(w);
        WarpState& s = warps_[w];
        std::uint32_t const generation = s.generation + 1;
        s = {};
        s.generation = generation;
        s.warp = &warp;
        s.place = p;
        s.begun = s.since = now;
        std::fill_n(board(w), board_stride_, Cycle{0});
        SubCore& core = sub_cores_[w % sub_core_count_];
        if (core.count++ == 0) core.occupied_since = now;
        core.scheduler->started(w);
        advance(w, now, now, StallReason::no_instruction);
    }
}

void Sm::end_warp(std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    account(s, s.reason, now);
    statistics_.resident_warp_cycles += now - s.begun;
    if (observation_) observation_->was_resident(s.begun, now);
    wake(w) = never;
    used_warps_ &= ~(WarpMask{1} << w);
    s.warp = nullptr;
    ++s.generation;
    SubCore& core = sub_cores_[w % sub_core_count_];
    core.scheduler->ended(w);
    if (--core.count == 0) statistics_.occupied_slots += now - core.occupied_since;
    Place& place = places_[s.place];
    if (--place.live != 0) return;
    place.used = false;
    ++free_places_;
    if (--resident_ == 0) statistics_.active_cycles += now - active_since_;
    ended_.push_back({now, place.cta().linear, place.cta().cluster});
}

Cycle Sm::unit_free(std::uint32_t sub_core, MicroUnit unit) const {
    auto const i = static_cast<std::size_t>(unit);
    return per_sm_[i] ? shared_unit_free_[i] : sub_cores_[sub_core].unit_free[i];
}

/// One cycle of a sub-core: finds out who could issue and lets the scheduler choose.
void Sm::issue_slot(std::uint32_t sub_core, Cycle now) {
    SubCore& core = sub_cores_[sub_core];
    core.next = never;
    WarpMask eligible = 0;
    for (std::uint32_t i = 0; i < core.wake.size(); ++i) {
        Cycle const at = core.wake[i];
        if (at > now) {
            core.next = std::min(core.next, at);
            continue;
        }
        std::uint32_t const w = i * sub_core_count_ + sub_core;
        WarpState& s = warps_[w];
        FunctionTiming const& f = plan_.functions[s.function];
        MicroUnit const unit = f.micros[f.instructions[s.main].first_micro + s.micro].unit;
        Cycle const free = unit_free(sub_core, unit);
        bool const is_full = unit == MicroUnit::lsu && !data_path_.accepts(sub_core);
        if (free <= now && !is_full) {
            eligible |= WarpMask{1} << w;
            continue;
        }
        account(s, s.reason, std::max(at, s.since));
        account(s, StallReason::not_selected, now);
        s.reason = !is_full                                 ? StallReason::math_pipe_throttle
                   : f.instructions[s.main].is_shared_memory ? StallReason::mio_throttle
                                                            : StallReason::lg_throttle;
        core.wake[i] = is_full ? never : free;
        if (is_full) core.queued |= WarpMask{1} << w;
        else core.next = std::min(core.next, free);
    }
    for (std::uint32_t n = 0; eligible != 0 && n < config_.sm.schedulers.issue_per_cycle; ++n) {
        unsigned const w = core.scheduler->pick(eligible);
        eligible &= ~(WarpMask{1} << w);
        issue(w, now);
    }
    if (eligible != 0) core.next = std::min(core.next, now + 1);
}

void Sm::account(WarpState& s, StallReason reason, Cycle until) {
    if (until <= s.since) return;
    statistics_.stalls[static_cast<std::size_t>(reason)] += until - s.since;
    if (observation_) observation_->waited(s.last, {s.function, s.main}, reason, s.since, until);
    s.since = until;
}

void Sm::issue(std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    account(s, s.reason, std::max(wake(w), s.since));
    account(s, StallReason::not_selected, now);
    s.since = now + 1;
    FunctionTiming const& f = plan_.functions[s.function];
    TimedInstruction const& timed = f.instructions[s.main];
    MicroOp const& micro = f.micros[timed.first_micro + s.micro];
    auto const unit = static_cast<std::size_t>(micro.unit);
    Cycle const busy = now + std::max<Cycle>(intervals_[unit], micro.interval);
    (per_sm_[unit] ? shared_unit_free_[unit] : sub_cores_[w % sub_core_count_].unit_free[unit]) = busy;
    ++statistics_.micro_ops;
    ++statistics_.by_unit[unit];
    statistics_.unit_cycles[unit] += busy - now;
    s.last = {s.function, s.main};
    if (observation_) observation_->issued(s.last);
    if (s.micro == 0 && !carry_out(w, now)) return suspend(w);
    statistics_.thread_micro_ops += s.lanes;
    s.chain_ready = now + latency(micro.unit);
    if (++s.micro < timed.micros) {
        MicroOp const& next = f.micros[timed.first_micro + s.micro];
        set_wake(w, next.chained ? std::max(now + 1, s.chain_ready) : now + 1, StallReason::wait);
        return;
    }
    finish_instruction(w, micro, now);
}

/// The semantics of the instruction and of those that go with it.
bool Sm::carry_out(std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    sim::Cta& cta = places_[s.place].cta();
    recorder_.begin(now, w);
    FunctionTiming const& f = plan_.functions[s.function];
    for (std::uint32_t i = s.instruction; i <= s.main; ++i) {
        TimedInstruction const& timed = f.instructions[i];
        if (i == s.main && timed.kind == TimedKind::barrier) {
            sim::FunctionPlan const& function = sim::Interpreter::next_function(*s.warp);
            s.arrives = function.barriers[sim::Interpreter::next_op(*s.warp).target].kind == sim::Barrier::Kind::arrive;
        }
        if (i == s.main && timed.kind == TimedKind::beside) {
            s.instruction = i;
            if (!s.timed_out && interpreter_.waits_for_mbarrier(cta, *s.warp)) return false;
            s.timed_out = false;
            sim::Op const& op = sim::Interpreter::next_op(*s.warp);
            s.beside = op.kind;
            s.asynchronous = op.kind == sim::OpKind::asynchronous ? &sim::Interpreter::next_function(*s.warp).asynchronous[op.target] : nullptr;
        }
        interpreter_.step(cta, *s.warp);
        ++statistics_.instructions;
        if (timed.micros != 0) continue;
        if (timed.branch != 0) branches_[timed.branch - 1u].add(recorder_.lanes(), recorder_.guarded_lanes());
        for (std::uint32_t r = 0; r < timed.results; ++r) {
            BoardSlot const slot = f.results[timed.first_result + r];
            board(w)[slot] = now;
            makers(w)[slot] = static_cast<std::uint8_t>(MicroUnit::alu);
        }
    }
    s.lanes = static_cast<std::uint32_t>(std::popcount(recorder_.lanes()));
    TimedInstruction const& main = f.instructions[s.main];
    bool const at_mbarriers = main.kind == TimedKind::beside && s.asynchronous != nullptr &&
                              s.asynchronous->kind < sim::Asynchronous::Kind::pending_count;
    if (at_mbarriers) recorder_.visit_banks(std::max(s.lanes, 1u));
    // Other warps use the recorder before the last micro-op of this one.
    s.is_under_way = (main.kind == TimedKind::memory || at_mbarriers) && recorder_.operations() != 0;
    if (s.is_under_way) start_operations(w, main, now);
    if (main.kind == TimedKind::constant) s.constant_cycles = constant_latency();
    s.needs_round_trip = recorder_.goes_beyond() && recorder_.holds();
    if (recorder_.goes_beyond()) begin_copies(w, now);
    return true;
}

void Sm::start_operations(std::uint32_t w, TimedInstruction const& timed, Cycle now) {
    WarpState& s = warps_[w];
    FunctionTiming const& f = plan_.functions[s.function];
    auto const count = static_cast<std::uint32_t>(recorder_.operations());
    if (count == 0) return;
    std::uint32_t load = UINT32_MAX;
    if (timed.results != 0) {
        std::uint32_t const p = add_pending({w, s.generation, f.results.data() + timed.first_result, timed.results, UINT32_MAX, false});
        load = data_path_.begin_load(p, count);
        ++s.pending;
        std::uint8_t const maker = recorder_.operation(0).kind == OperationKind::shared ? made_by_shared : made_by_memory;
        for (std::uint32_t r = 0; r < timed.results; ++r) {
            BoardSlot const slot = f.results[timed.first_result + r];
            board(w)[slot] = never;
            makers(w)[slot] = maker;
        }
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        recorder_.operation(i).load = load;
        data_path_.push(w % sub_core_count_, now, recorder_.operation(i));
    }
}

Cycle Sm::constant_latency() {
    // Lanes that want different words take turns.
    return constants_.load(recorder_.constant_address()) + (std::max(recorder_.constants(), 1u) - 1);
}

void Sm::finish_instruction(std::uint32_t w, MicroOp const& last, Cycle now) {
    WarpState& s = warps_[w];
    FunctionTiming const& f = plan_.functions[s.function];
    TimedInstruction const& timed = f.instructions[s.main];
    Place& place = places_[s.place];
    if (!s.is_under_way) {
        Cycle const ready = now + (timed.kind == TimedKind::constant ? s.constant_cycles : latency(last.unit));
        for (std::uint32_t r = 0; r < timed.results; ++r) {
            BoardSlot const slot = f.results[timed.first_result + r];
            board(w)[slot] = ready;
            makers(w)[slot] = static_cast<std::uint8_t>(last.unit);
        }
    }
    sim::SynchronisationConfig const& sync = *config_.sm.synchronisation;
    if (s.needs_round_trip) {
        // Its result is known at the end of the epoch, and comes like that of an atomic.
        Cycle const trip = config_.interconnect->request_latency_cycles + config_.interconnect->reply_latency_cycles +
                           config_.l2.slices->hit_latency_cycles;
        hold(w, StallReason::long_scoreboard);
        Event event;
        event.at = now + trip;
        event.index = w;
        event.generation = s.generation;
        return add_event(std::move(event));
    }
    switch (timed.kind) {
        case TimedKind::beside:
            if (finish_beside(w, now)) advance(w, now, now + 1, StallReason::wait);
            return;
        case TimedKind::barrier: {
            place.barrier_free = std::max(place.barrier_free, now) + sync.barrier_cycles_per_warp;
            Cycle const earliest = s.arrives ? now + 1 : place.barrier_free + sync.barrier_latency_cycles;
            advance(w, now, earliest, StallReason::barrier);
            wake_released(place, now);
            return;
        }
        case TimedKind::exit:
        case TimedKind::call: {
            bool const all = s.warp->live() == 0;
            if (!all) std::fill_n(board(w), board_stride_, Cycle{0});   // of another function; nothing is pending
            advance(w, now, now + config_.sm.front_end->taken_branch_cycles, StallReason::branch_resolving);
            if (place.used) wake_released(place, now);   // a barrier may have waited for these threads
            return;
        }
        case TimedKind::fence: {
            Cycle const cycles = timed.fence_scope == 0 ? sync.fence_cta_cycles : timed.fence_scope == 1 ? sync.fence_gpu_cycles : sync.fence_system_cycles;
            advance(w, now, now + cycles, StallReason::membar);
            return;
        }
        case TimedKind::sleep: advance(w, now, now + latency(MicroUnit::branch), StallReason::sleeping); return;
        case TimedKind::branch:
            s.fall_through = s.main + 1;
            advance(w, now, now + 1, StallReason::wait);
            return;
        default: advance(w, now, now + 1, StallReason::wait); return;
    }
}

void Sm::find_bundle(WarpState& s) {
    FunctionTiming const& f = plan_.functions[s.function];
    s.main = s.instruction;
    s.micro = 0;
    while (f.instructions[s.main].micros == 0 && !f.instructions[s.main].ends_block) ++s.main;
}

/// Finds what the warp does next and when it could; a warp that is at its end leaves.
void Sm::advance(std::uint32_t w, Cycle now, Cycle earliest, StallReason reason) {
    WarpState& s = warps_[w];
    sim::Cta& cta = places_[s.place].cta();
    for (;;) {
        if (!interpreter_.settle(cta, *s.warp)) {
            if (s.warp->live() == 0) return end_warp(w, now);
            s.blocked = true;
            s.fall_through = UINT32_MAX;
            set_wake(w, never, StallReason::barrier);
            return;
        }
        s.blocked = false;
        s.function = sim::Interpreter::next_function(*s.warp).plan_index;
        s.instruction = sim::Interpreter::next_op(*s.warp).instruction;
        if (s.fall_through != UINT32_MAX && s.instruction != s.fall_through) {
            earliest = now + std::max(config_.sm.front_end->taken_branch_cycles, 1u);
            reason = StallReason::branch_resolving;
        }
        s.fall_through = UINT32_MAX;
        find_bundle(s);
        if (plan_.functions[s.function].instructions[s.main].micros != 0) break;
        // Only what costs nothing is left of the block; but what it reads must be there.
        if (operands_ready(w, {earliest, reason}).until == never) break;
        carry_out(w, now);
    }
    update_wake(w, earliest, reason);
}

Sm::Wait Sm::operands_ready(std::uint32_t w, Wait wait) {
    WarpState const& s = warps_[w];
    FunctionTiming const& f = plan_.functions[s.function];
    TimedInstruction const& main = f.instructions[s.main];
    MicroUnit const unit = main.micros != 0 ? f.micros[main.first_micro].unit : MicroUnit::alu;
    Cycle const* const ready = board(w);
    std::uint8_t const* const made = makers(w);
    auto const until = [&](Cycle at, std::uint8_t maker) {
        if (at <= wait.until) return;
        wait = {at, waiting_for(maker)};
    };
    sim::DependenceConfig const& d = *config_.sm.dependences;
    for (std::uint32_t i = s.instruction; i <= s.main; ++i) {
        TimedInstruction const& timed = f.instructions[i];
        for (std::uint32_t k = 0; k < timed.sources; ++k) {
            Source const source = f.sources[timed.first_source + k];
            Cycle at = ready[source.slot];
            if (at == 0) continue;
            std::uint8_t const maker = made[source.slot];
            if (at != never && maker < made_by_memory) {
                auto const by = static_cast<MicroUnit>(maker);
                Cycle const own = latency(by);
                if (source.role == Role::guard) at += d.predicate_to_guard_cycles > own ? d.predicate_to_guard_cycles - own : 0;
                else if (source.role == Role::address) at += d.address_cycles;
                else if ((by == MicroUnit::alu && unit == MicroUnit::fma) || (by == MicroUnit::fma && unit == MicroUnit::alu)) at += d.cross_unit_cycles;
            }
            until(at, maker);
        }
        for (std::uint32_t k = 0; k < timed.results; ++k) {
            BoardSlot const slot = f.results[timed.first_result + k];
            if (ready[slot] == never) until(never, made[slot]);
        }
    }
    bool const leaves = main.kind == TimedKind::call;
    if (leaves && s.pending != 0) wait = {never, StallReason::long_scoreboard};
    return wait;
}

void Sm::update_wake(std::uint32_t w, Cycle earliest, StallReason reason) {
    WarpState& s = warps_[w];
    s.earliest = earliest;
    Wait wait{earliest, reason};
    if (s.micro == 0) {
        std::uint64_t const line = instructions_.line_of(plan_.functions[s.function].code_address[s.main]);
        if (line != s.line) {
            s.line = line;
            Cycle const here = instructions_.fetch(w % sub_core_count_, line, now_);
            if (here > wait.until) wait = {here, StallReason::no_instruction};
        }
        wait = operands_ready(w, wait);
    }
    set_wake(w, wait.until, wait.reason);
}

void Sm::set_wake(std::uint32_t w, Cycle at, StallReason reason) {
    WarpState& s = warps_[w];
    account(s, s.reason, now_);
    s.reason = reason;
    SubCore& core = sub_cores_[w % sub_core_count_];
    core.queued &= ~(WarpMask{1} << w);
    wake(w) = at;
    core.next = std::min(core.next, at);
    if (at == never && reason == StallReason::long_scoreboard) core.scheduler->waits(w);
}

void Sm::wake_released(Place& place, Cycle now) {
    for (std::size_t i = 0; i < place.warps.size(); ++i) {
        std::uint32_t const w = place.warps[i];
        WarpState& s = warps_[w];
        if (!s.blocked || s.warp == nullptr || &places_[s.place] != &place) continue;
        if (!interpreter_.settle(place.cta(), *s.warp)) {
            if (s.warp->live() == 0) end_warp(w, now);
            continue;
        }
        Cycle const earliest = s.in_cluster_barrier ? std::max(now, place.cluster_release)
                                                    : place.barrier_free + config_.sm.synchronisation->barrier_latency_cycles;
        s.in_cluster_barrier = false;
        advance(w, now, earliest, StallReason::barrier);
    }
}

void Sm::take_arrivals() {
    for (std::size_t i = 0; i < arrivals_.size(); ++i) {
        auto const [owner, ready] = arrivals_[i];
        Pending const p = pending_[owner];
        free_pending_.push_back(owner);
        if (p.copy != UINT32_MAX) {
            Event event;
            event.at = std::max(ready, now_ + 1) + (copies_[p.copy].few ? config_.sm.copy_engine.store_cycles : 0);
            event.kind = p.of_reads ? Event::Kind::source_read : Event::Kind::copied;
            event.index = p.copy;
            add_event(std::move(event));
            continue;
        }
        WarpState& s = warps_[p.warp];
        if (s.generation != p.generation) continue;   // nobody waited for it
        --s.pending;
        for (std::uint32_t r = 0; r < p.count; ++r) board(p.warp)[p.results[r]] = ready;
        if (wake(p.warp) != never || s.blocked || s.held || s.micro != 0) continue;
        if ((sub_cores_[p.warp % sub_core_count_].queued >> p.warp & 1) != 0) continue;
        bool const is_free = plan_.functions[s.function].instructions[s.main].micros == 0;
        Cycle const earliest = std::max(now_, s.earliest);
        account(s, s.reason, now_);
        if (is_free) advance(p.warp, now_, earliest, s.reason);
        else update_wake(p.warp, earliest, s.reason);
    }
    arrivals_.clear();
}

std::string Sm::describe_waiting() const {
    std::string text;
    for (Place const& place : places_) {
        if (place.used && text.empty()) text = interpreter_.describe_waiting(*place.resident->cluster);
    }
    return text;
}

void Sm::observe(ObservationOptions const& options) {
    if (options.profile || options.interval != 0) observation_ = std::make_unique<Observation>(plan_, options);
}

sim::IntervalSample Sm::totals() const {
    L1Statistics const& l1 = data_path_.statistics();
    sim::IntervalSample s;
    s.micro_ops = statistics_.micro_ops;
    s.l1_load_sectors = l1.load_sectors;
    s.l1_tag_hits = l1.tag_hits;
    s.l1_store_sectors = l1.store_sectors;
    s.l1_atomic_sectors = l1.atomic_sectors;
    s.shared_requests = l1.shared_requests;
    s.noc_request_bytes = l1.request_bytes;
    s.noc_reply_bytes = l1.reply_bytes;
    return s;
}

void Sm::give_samples(std::vector<sim::IntervalSample>& samples) {
    observation_->intervals().note(now_, totals());
    observation_->intervals().give_to(samples);
}

SmStatistics Sm::statistics() const {
    SmStatistics s = statistics_;
    s.l1 = data_path_.statistics();
    s.tlb_hits = data_path_.tlb().hits();
    s.tlb_misses = data_path_.tlb().misses();
    s.constant_loads = constants_.loads();
    s.constant_misses = constants_.l1_misses();
    return s;
}

}  // namespace warpsim::timing
