#include "sim/timing/sm/sm.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace warpsim::timing {

using engine::never;
using sim::StallReason;

namespace {

/// Reading a special register. Until Ampere: NAK's estimate, and the four cycles that ptxas leaves between two of them. On
/// Hopper warps of an H200 wait 26 cycles for it when nothing else is under way (stalls for `short_scoreboard` of the seven
/// warps of gs1 that do nothing else, benchmarks/validation/hopper), and ptxas leaves eight between two.
struct SpecialRegisters {
    Cycle latency = 16, interval = 4;

    explicit SpecialRegisters(int capability) {
        if (capability >= 90) *this = SpecialRegisters(26, 8);
    }

private:
    SpecialRegisters(Cycle l, Cycle i) : latency(l), interval(i) {}
};

}  // namespace

Sm::Sm(sim::Config const& config, std::uint32_t number, AddressMap const& map)
    : config_(config),
      number_(number),
      sub_core_count_(config.sm.sub_cores),
      issues_per_cycle_(config.sm.schedulers.issue_per_cycle),
      data_path_(config, number, map, 1),
      instructions_(*config.sm.front_end, config.sm.sub_cores),
      buffer_limits_(config.sm.front_end->buffer_entries < fetch_cycles),
      ports_per_bank_(std::max(config.sm.register_file->ports_per_bank, 1u)),
      read_window_turns_(config.sm.register_file->read_window_cycles * ports_per_bank_),
      access_interval_(config.sm.lsu->address_interval_cycles),
      counters_(config.sm.dependences->counters, config.sm.max_warps),
      cta_slots_(config.sm.max_ctas),
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
    next_issue_.fill(never);
    for (std::uint32_t w = 0; w < most_warps; ++w) {
        sub_core_of_[w] = static_cast<std::uint8_t>(w % sub_core_count_);
        seat_of_[w] = static_cast<std::uint8_t>(w / sub_core_count_);
    }
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
    SpecialRegisters const special(config.compute_capability.number());
    latencies_[static_cast<std::size_t>(MicroUnit::special)] = special.latency;
    scoreboarded_[static_cast<std::size_t>(MicroUnit::special)] = true;
    intervals_[static_cast<std::size_t>(MicroUnit::special)] = special.interval;
    latencies_[static_cast<std::size_t>(MicroUnit::texture)] = config.sm.texture.hit_latency_cycles;
    scoreboarded_[static_cast<std::size_t>(MicroUnit::texture)] = true;
    latencies_[static_cast<std::size_t>(MicroUnit::constant)] = config.sm.constant->l1_latency_cycles;
    sim::SynchronisationConfig const& sync = *config.sm.synchronisation;
    Cycle const trip = data_path_.write_trip();
    fence_cycles_ = {sync.fence_cta_cycles, sync.fence_gpu_cycles - std::min<Cycle>(sync.fence_gpu_cycles, trip),
                     sync.fence_system_cycles - std::min<Cycle>(sync.fence_system_cycles, trip)};
    set_ways(*config.sm.dependences);
    bank_turns_.assign(std::size_t{sub_core_count_} * std::max(config.sm.register_file->banks, 1u), 0);
    for (std::uint32_t s = 0; s < sub_core_count_; ++s) {
        SubCore core;
        if (config.sm.units->tensor) core.product_ends.assign(config.sm.units->tensor->warpgroup_queue_entries, 0);
        plugin::SchedulerSettings settings;
        settings.sm = number;
        settings.sub_core = s;
        settings.active_warps = config.sm.schedulers.active_warps;
        core.scheduler = sm_components().make_warp_scheduler(config.sm.schedulers.policy, settings);
        sub_cores_.push_back(std::move(core));
    }
}

ResidentGrid& Sm::begin_grid(GridOnGpu const& grid) {
    if (grids_.size() <= grid.number) grids_.resize(grid.number + std::size_t{1});
    grids_[grid.number] = std::make_unique<ResidentGrid>(config_, grid, now_);
    ResidentGrid& here = *grids_[grid.number];
    here.recorder.use(matrix_unit_);
    if (here.samples) sampled_.push_back(&here);
    data_path_.begin_grid(grid.number);
    widen_board((grid.plan.most_slots + 7) / 8 * 8);
    return here;
}

void Sm::end_grid(GridNumber number) {
    std::erase(sampled_, grids_[number].get());
    std::erase(lingering_, grids_[number].get());
    grids_[number].reset();
}

/// Rows of the scoreboard that are in use keep their contents.
void Sm::widen_board(std::size_t stride) {
    if (stride <= board_stride_) return;
    sim::HugeVector<Cycle> board(std::size_t{config_.sm.max_warps} * stride, 0);
    sim::HugeVector<std::uint8_t> makers(std::size_t{config_.sm.max_warps} * stride, 0);
    for (std::size_t w = 0; w < config_.sm.max_warps; ++w) {
        std::copy_n(board_.begin() + static_cast<std::ptrdiff_t>(w * board_stride_), board_stride_,
                    board.begin() + static_cast<std::ptrdiff_t>(w * stride));
        std::copy_n(makers_.begin() + static_cast<std::ptrdiff_t>(w * board_stride_), board_stride_,
                    makers.begin() + static_cast<std::ptrdiff_t>(w * stride));
    }
    board_ = std::move(board);
    makers_ = std::move(makers);
    if (counters_.are_shared()) {
        std::vector<std::uint8_t> counter_of(std::size_t{config_.sm.max_warps} * stride, 0);
        for (std::size_t w = 0; w < config_.sm.max_warps; ++w)
            std::copy_n(counter_of_.begin() + static_cast<std::ptrdiff_t>(w * board_stride_), board_stride_,
                        counter_of.begin() + static_cast<std::ptrdiff_t>(w * stride));
        counter_of_ = std::move(counter_of);
    }
    board_stride_ = stride;
}

std::optional<Cycle> Sm::left(GridNumber number) const {
    ResidentGrid const& grid = *grids_[number];
    if (grid.lingers) return is_idle() ? std::optional(now_) : std::nullopt;
    bool const copies =
        std::any_of(copies_.begin(), copies_.end(), [&](Copy const& c) { return c.grid == &grid; });
    return grid.ctas != 0 || copies ? std::nullopt : std::optional(grid.last);
}

void Sm::place(ResidentGrid& grid, std::uint64_t cta, Cycle at) { add_start({at, &grid, cta, nullptr}); }

void Sm::place(ResidentGrid& grid, sim::Cta& cta, Cycle at) { add_start({at, &grid, cta.linear, &cta}); }

void Sm::add_start(Start const& start) {
    auto const later = std::upper_bound(starting_.begin(), starting_.end(), start,
                                        [](Start const& a, Start const& b) { return a.at < b.at; });
    starting_.insert(later, start);
    next_ = std::min(next_, start.at);
}

Cycle Sm::next_issue() const {
    // Of four, as most SMs have, without a loop; entries of sub-cores that are not there say never.
    Cycle next = std::min(std::min(next_issue_[0], next_issue_[1]), std::min(next_issue_[2], next_issue_[3]));
    for (std::uint32_t s = 4; s < sub_core_count_; ++s) next = std::min(next, next_issue_[s]);
    return next;
}

/// When something happens beside the issue of warps and the start of CTAs.
Cycle Sm::next_beside() const {
    Cycle const next = std::min({inbox_.next_time(), peer_inbox_.next_time(), data_path_.next_event()});
    return events_.empty() ? next : std::min(next, events_.back().at);
}

Cycle Sm::next_start() const { return starting_.empty() ? engine::never : starting_.front().at; }

/// No CTA is resident, nothing is in flight, and nothing will happen before another CTA begins.
bool Sm::is_idle() const {
    return resident_ == 0 && data_path_.idle() && next_beside() == never && next_issue() == never;
}

/// Grids whose CTAs have ended are finished here: what they still have in flight is over, or does not count once
/// another CTA begins.
void Sm::settle_lingering(Cycle at) {
    for (ResidentGrid* const grid : lingering_) {
        grid->lingers = false;
        grid->last = at;
    }
    lingering_.clear();
}

void Sm::run(Cycle end) {
    if (failure_) return;
    prefetch(end);
    try {
        Cycle beside = std::min(next_beside(), next_start());
        for (Cycle now = std::min(beside, next_issue()); now < end; now = std::min(beside, next_issue())) {
            for (ResidentGrid* const grid : sampled_) {
                if (grid->samples->intervals.ends_by(now)) grid->samples->intervals.note(now, totals(*grid));
            }
            if (!lingering_.empty() && is_idle()) settle_lingering(now_);
            now_ = now;
            if (beside <= now) take_beside(now);
            for (std::uint32_t s = 0; s < sub_core_count_; ++s) {
                if ((full_ >> s & 1) != 0) look_for_room(s, now);
                if (next_issue_[s] <= now) issue_slot(s, now);
            }
            beside = std::min(next_beside(), next_start());
        }
    } catch (...) {
        failure_ =
            Failure{now_, number_, acting_ != nullptr ? acting_->number : GridNumber{0}, std::current_exception()};
    }
    next_ = failure_ ? never : std::min({next_beside(), next_start(), next_issue()});
}

/// What happens in this cycle before warps issue.
void Sm::take_beside(Cycle now) {
    for (; inbox_.next_time() <= now; inbox_.pop()) data_path_.receive(now, inbox_.front(), arrivals_);
    while (next_start() <= now) {
        Start const start = starting_.front();
        starting_.erase(starting_.begin());
        begin_cta(start);
    }
    if (peer_inbox_.next_time() <= now) take_messages(now);
    if (!events_.empty() && events_.back().at <= now) take_events(now);
    while (data_path_.next_event() <= now) data_path_.run(arrivals_);
    if (!data_path_.code_lines().empty()) take_code();
    if (!arrivals_.empty()) take_arrivals();
    if (!data_path_.progress().empty()) take_progress(now);
}

void Sm::take_replies(std::size_t self, std::span<engine::Outbox<MemoryReply>* const> sources) {
    if (inbox_.collect(self, sources)) next_ = std::min(next_, inbox_.next_time());
}

void Sm::take_from_peers(std::size_t self, std::span<engine::Outbox<SmMessage>* const> sources) {
    if (peer_inbox_.collect(self, sources)) next_ = std::min(next_, peer_inbox_.next_time());
}

/// Warps that waited for room in a queue may try again once it has some.
void Sm::look_for_room(std::uint32_t sub_core, Cycle now) {
    SubCore& core = sub_cores_[sub_core];
    auto const look = [&](MicroUnit unit, bool accepts) {
        if (!core.is_full(unit)) return false;
        if (!accepts) return true;
        core.units[static_cast<std::size_t>(unit)].make_room(now);
        if (core.wake.waiting(unit) != 0) next_issue_[sub_core] = now;
        return false;
    };
    bool const lsu = look(MicroUnit::lsu, data_path_.accepts(sub_core)),
               texture = look(MicroUnit::texture, data_path_.accepts_texture());
    if (!lsu && !texture) full_ &= ~(std::uint64_t{1} << sub_core);
}

/// The SM's caches are invalid for another kernel, but for those of instructions. The split of its memory changes only when no CTA is resident.
void Sm::begin_kernel(ResidentGrid& grid) {
    grid.has_begun = true;
    if (grid.code_is_warm) instructions_.put_all(grid.code_begin, grid.plan.code_size, now_);
    constants_.clear();
    data_path_.begin_kernel(resident_ == 0 ? grid.l1_kib : 0);
}

void Sm::begin_cta(Start const& start) {
    Cycle const now = start.at;
    ResidentGrid& grid = *start.grid;
    acting_ = &grid;
    settle_lingering(now);
    if (!grid.has_begun) begin_kernel(grid);
    std::uint32_t p = 0;
    while (cta_slots_[p].used) ++p;
    CtaSlot& place = cta_slots_[p];
    place.grid = &grid;
    place.resident = start.of_cluster;
    if (place.resident == nullptr) {
        if (grid.free_clusters.empty()) grid.free_clusters.push_back(std::make_unique<sim::Cluster>());
        place.own = std::move(grid.free_clusters.back());
        grid.free_clusters.pop_back();
        grid.interpreter.start(*place.own, start.cta, number_);
        place.resident = &place.own->ctas.front();
    }
    grid.interpreter.tell_start(place.cta());
    place.cluster_release = 0;
    place.suspended = place.blocked = 0;
    place.used = true;
    place.live = static_cast<std::uint32_t>(place.cta().warps.size());
    place.barrier_free = now;
    place.warps.clear();
    ++resident_;
    if (grid.ctas++ == 0) grid.active_since = now;
    for (sim::Warp& warp : place.cta().warps) {
        auto const w = static_cast<std::uint32_t>(std::countr_one(used_warps_));
        used_warps_ |= WarpMask{1} << w;
        place.warps.push_back(w);
        WarpState& s = warps_[w];
        std::uint32_t const generation = s.generation + 1;
        s = {};
        s.generation = generation;
        s.warp = &warp;
        s.grid = &grid;
        s.place = static_cast<std::uint8_t>(p);
        s.begun = s.since = now;
        std::fill_n(board(w), board_stride_, Cycle{0});
        counters_.begin_warp(w);
        SubCore& core = this->core(w);
        ResidentGrid::OnSubCore& part = grid.sub_cores[sub_core_of_[w]];
        if (part.warps++ == 0) part.since = now;
        core.scheduler->started(w);
        advance(w, now, now, StallReason::no_instruction);
    }
}

void Sm::end_warp(std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    account(s, s.reason, now);
    ResidentGrid& grid = *s.grid;
    Cycle const end = std::max(now, s.since);  // the cycle in which it issues its last instruction belongs to it
    grid.sinks.tell<sim::ResidenceEvent>([&] {
        return sim::ResidenceEvent{*cta_slots_[s.place].resident, *s.warp, s.begun, end};
    });
    grid.statistics.resident_warp_cycles += end - s.begun;
    if (grid.samples) grid.samples->was_resident(s.begun, end);
    core(w).wake.set(seat(w), never, MicroUnit::alu, now);
    used_warps_ &= ~(WarpMask{1} << w);
    s.warp = nullptr;
    ++s.generation;
    SubCore& core = this->core(w);
    core.scheduler->ended(w);
    ResidentGrid::OnSubCore& part = grid.sub_cores[sub_core_of_[w]];
    if (--part.warps == 0) grid.statistics.occupied_slots += now - part.since;
    CtaSlot& place = cta_slots_[s.place];
    if (--place.live != 0) return;
    place.used = false;
    if (place.own) grid.free_clusters.push_back(std::move(place.own));
    ended_.push_back({now, grid.number, place.cta().cluster, place.cta().cluster->linear});
    --resident_;
    if (--grid.ctas != 0) return;
    grid.statistics.active_cycles += now - grid.active_since;
    grid.last = now;
    grid.lingers = resident_ == 0;
    if (grid.lingers) lingering_.push_back(&grid);
}

void Sm::give_clusters(GridNumber number, std::vector<sim::Cluster const*>& clusters) const {
    for (CtaSlot const& place : cta_slots_) {
        if (place.used && place.grid->number == number) clusters.push_back(place.resident->cluster);
    }
}

void Sm::note(Network::Passed const& passed) {
    ResidentGrid* const here = grid(passed.grid);
    if (here == nullptr) return;
    here->statistics.noc.delay_cycles += passed.delay;
    if (passed.kind == Network::Passed::Kind::translated) ++here->statistics.tlb_hits;
    if (passed.kind == Network::Passed::Kind::looked_up) ++here->statistics.tlb_misses;
}

bool Sm::is_quiet() const {
    return starting_.empty() && copies_.size() == free_copies_.size() && peer_inbox_.next_time() == never &&
           std::all_of(events_.begin(), events_.end(),
                       [](Event const& e) { return e.kind == Event::Kind::resume; });
}

void Sm::give_warps(std::vector<WarpSample>& samples) const {
    bool const may_let_go = config_.sm.control_flow == sim::ControlFlow::independent;
    for (WarpState const& s : warps_) {
        if (s.warp == nullptr) continue;
        auto const runnable = static_cast<std::uint64_t>(
            std::count_if(s.warp->splits.begin(), s.warp->splits.end(),
                          [](sim::WarpSplit const& g) { return g.state == sim::WarpSplit::State::runnable; }));
        std::uint64_t const round = runnable > 1 && may_let_go ? 2 * runnable * sim::Divergence::longest_slice : 1;
        samples.push_back({s.grid->interpreter.divergence().hash_all(*s.warp), s.warp->executed, round,
                           runnable == 0, s.suspended, may_let_go && sim::Divergence::has_waiting_lanes(*s.warp)});
    }
}

void Sm::let_go(Cycle at) {
    for (WarpState& s : warps_) {
        if (s.warp == nullptr || config_.sm.control_flow != sim::ControlFlow::independent ||
            !sim::Divergence::has_waiting_lanes(*s.warp))
            continue;
        s.warp->let_go = true;
        s.warp->slice_end = s.warp->executed;
    }
    end_waits(at);
}

void Sm::tell_stall(WarpState const& s, sim::StallReason reason, Cycle until) const {
    s.grid->sinks.tell<sim::StallEvent>([&] {
        return sim::StallEvent{
            *cta_slots_[s.place].resident, *s.warp, s.last, {s.function, s.main}, reason, s.since, until};
    });
}

sim::IntervalSample Sm::totals(ResidentGrid const& grid) const {
    sim::IntervalSample s;
    static_cast<sim::SmCounts&>(s) = statistics(grid.number);
    // These are distributed over the intervals in which the warp waited.
    s.stalls = {};
    s.resident_warp_cycles = 0;
    return s;
}

void Sm::give_samples(GridNumber number, std::vector<sim::IntervalSample>& samples) {
    ResidentGrid& grid = *grids_[number];
    grid.samples->intervals.note(now_, totals(grid));
    grid.samples->intervals.give_to(samples);
}

SmStatistics Sm::statistics(GridNumber number, Cycle until) const {
    ResidentGrid const& grid = *grids_[number];
    SmStatistics s = grid.statistics;
    if (grid.ctas != 0) s.active_cycles += until - std::min(until, grid.active_since);
    for (ResidentGrid::OnSubCore const& part : grid.sub_cores) {
        if (part.warps != 0) s.occupied_slots += until - std::min(until, part.since);
    }
    DataPathStatistics const& path = data_path_.statistics(number);
    s.l1 = path;
    s.noc.request_bytes = path.noc.request_bytes;
    s.noc.reply_bytes = path.noc.reply_bytes;
    return s;
}

}  // namespace warpsim::timing
