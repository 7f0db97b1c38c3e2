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

}  // namespace

Sm::Sm(sim::Config const& config, sim::LaunchContext const& launch, TimingPlan const& plan, std::uint32_t number,
       AddressMap const& map, std::uint32_t ctas, std::uint32_t l1_kib)
    : config_(config),
      launch_(launch),
      plan_(plan),
      number_(number),
      sub_core_count_(config.sm.sub_cores),
      recorder_(config, now_),
      interpreter_(launch, &recorder_),
      data_path_(config, number, map, l1_kib),
      instructions_(*config.sm.front_end, config.sm.sub_cores),
      buffer_limits_(config.sm.front_end->buffer_entries < fetch_cycles),
      ports_per_bank_(std::max(config.sm.register_file->ports_per_bank, 1u)),
      read_window_turns_(config.sm.register_file->read_window_cycles * ports_per_bank_),
      board_stride_((plan.most_slots + 7) / 8 * 8),
      board_(std::size_t{config.sm.max_warps} * board_stride_, 0),
      makers_(std::size_t{config.sm.max_warps} * board_stride_, 0),
      places_(ctas),
      free_places_(ctas),
      branches_(plan.branches),
      constants_(*config.sm.constant, config.interconnect->request_latency_cycles +
                                          config.interconnect->reply_latency_cycles +
                                          config.l2.slices->hit_latency_cycles) {
    sim::UnitsConfig const& u = *config.sm.units;
    auto const unit = [&](MicroUnit which, sim::UnitConfig const& c) {
        auto const i = static_cast<std::size_t>(which);
        latencies_[i] = c.latency_cycles;
        intervals_[i] = std::max(c.issue_interval_cycles, 1u);
        per_sm_[i] = c.per_sm;
        scoreboarded_[i] = c.scoreboarded;
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
    scoreboarded_[static_cast<std::size_t>(MicroUnit::special)] = true;
    intervals_[static_cast<std::size_t>(MicroUnit::special)] =
        intervals_[static_cast<std::size_t>(MicroUnit::sfu)] / 2;
    latencies_[static_cast<std::size_t>(MicroUnit::constant)] = config.sm.constant->l1_latency_cycles;
    sim::SynchronisationConfig const& sync = *config.sm.synchronisation;
    Cycle const trip = data_path_.write_trip();
    fence_cycles_ = {sync.fence_cta_cycles, sync.fence_gpu_cycles - std::min<Cycle>(sync.fence_gpu_cycles, trip),
                     sync.fence_system_cycles - std::min<Cycle>(sync.fence_system_cycles, trip)};
    for (std::uint32_t s = 0; s < sub_core_count_; ++s) {
        SubCore core;
        core.wake.fill(never);
        core.bank_turns.assign(plan.banks, 0);
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
    auto const later = std::upper_bound(starting_.begin(), starting_.end(), start,
                                        [](Start const& a, Start const& b) { return a.at < b.at; });
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
            if (observation_ && observation_->intervals().ends_by(now))
                observation_->intervals().note(now, totals());
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
            take_progress(now);
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
        failure_ = Failure{now_, number_, std::current_exception()};
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
    interpreter_.tell_start(place.cta());
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

void Sm::give_clusters(std::vector<sim::Cluster const*>& clusters) const {
    for (Place const& place : places_) {
        if (place.used) clusters.push_back(place.resident->cluster);
    }
}

bool Sm::is_quiet() const {
    return starting_.empty() && copies_.size() == free_copies_.size() && peer_inbox_.next_time() == never &&
           std::all_of(events_.begin(), events_.end(),
                       [](Event const& e) { return e.kind == Event::Kind::resume; });
}

namespace {

bool has_waiting_lanes(sim::Warp const& warp) {
    return std::any_of(warp.convergences.begin(), warp.convergences.end(),
                       [](sim::Convergence const& c) { return c.arrived != 0; });
}

}  // namespace

void Sm::give_warps(std::vector<WarpSample>& samples) const {
    bool const may_let_go = launch_.control_flow == sim::ControlFlow::independent;
    for (WarpState const& s : warps_) {
        if (s.warp == nullptr) continue;
        auto const runnable = static_cast<std::uint64_t>(
            std::count_if(s.warp->groups.begin(), s.warp->groups.end(),
                          [](sim::Group const& g) { return g.state == sim::Group::State::runnable; }));
        std::uint64_t const round = runnable > 1 && may_let_go ? 2 * runnable * sim::Divergence::longest_slice : 1;
        samples.push_back({interpreter_.divergence().hash_all(*s.warp), s.warp->executed, round, runnable == 0,
                           s.suspended, may_let_go && has_waiting_lanes(*s.warp)});
    }
}

void Sm::let_go(Cycle at) {
    for (WarpState& s : warps_) {
        if (s.warp == nullptr || launch_.control_flow != sim::ControlFlow::independent ||
            !has_waiting_lanes(*s.warp))
            continue;
        s.warp->let_go = true;
        s.warp->slice_end = s.warp->executed;
    }
    end_waits(at);
}

void Sm::observe(ObservationOptions const& options) {
    if (options.profile || options.interval != 0) observation_ = std::make_unique<Observation>(plan_, options);
}

sim::IntervalSample Sm::totals() const {
    sim::IntervalSample s;
    static_cast<sim::SmCounts&>(s) = statistics();
    // The observation spreads these over the intervals that a warp waited in.
    s.stalls = {};
    s.resident_warp_cycles = 0;
    return s;
}

void Sm::give_samples(std::vector<sim::IntervalSample>& samples) {
    observation_->intervals().note(now_, totals());
    observation_->intervals().give_to(samples);
}

SmStatistics Sm::statistics() const {
    SmStatistics s = statistics_;
    s.l1 = data_path_.statistics();
    s.noc = data_path_.traffic();
    s.tlb_hits = data_path_.tlb().hits();
    s.tlb_misses = data_path_.tlb().misses();
    s.constant_loads = constants_.loads();
    s.constant_misses = constants_.l1_misses();
    return s;
}

}  // namespace warpsim::timing
