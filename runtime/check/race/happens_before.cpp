#include "runtime/check/race/happens_before.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::check {

using isa::LaneMask;
using isa::Scope;

namespace {

std::uint32_t lane_of(LaneMask lanes) { return static_cast<std::uint32_t>(std::countr_zero(lanes)); }

}  // namespace

void HappensBefore::begin() {
    last_cta_ = nullptr;
    ctas_.clear();
    clusters_.clear();
    places_.clear();
    mbarriers_.clear();
    last_joined_ = {};
    short_scope_.reset();
    now_ = 1;
}

void HappensBefore::start(std::uint64_t number, std::uint64_t cluster, std::size_t warps) {
    auto cta = std::make_unique<Cta>();
    cta->number = number;
    cta->cluster = cluster;
    clusters_[cluster].push_back(number);
    cta->warps.resize(warps);
    ctas_[number] = std::move(cta);
}

void HappensBefore::end(std::uint64_t cluster) {
    auto const found = clusters_.find(cluster);
    if (found == clusters_.end()) return;
    last_cta_ = nullptr;
    for (std::uint64_t const number : found->second) ctas_.erase(number);
    clusters_.erase(found);
}

HappensBefore::Cta& HappensBefore::cta(std::uint64_t number) {
    if (last_cta_ == nullptr || last_cta_->number != number) last_cta_ = ctas_.at(number).get();
    return *last_cta_;
}

bool HappensBefore::is_in_cluster_of(std::uint64_t one, std::uint64_t other) const {
    if (one == other) return true;
    auto const found = ctas_.find(one);
    if (found == ctas_.end()) return false;
    auto const& members = clusters_.at(found->second->cluster);
    return std::find(members.begin(), members.end(), other) != members.end();
}

bool HappensBefore::reaches(Scope scope, Thread const& from, Thread const& to) const {
    switch (scope) {
        case Scope::none:
        case Scope::cta: return from.cta == to.cta;
        case Scope::cluster: return is_in_cluster_of(from.cta, to.cta);
        case Scope::gpu:
        case Scope::sys: return true;
    }
    return true;
}

/// What happens before what the thread did at `until`, with that.
void HappensBefore::add_known(Clock& clock, Thread const& thread, Time until) {
    Cta const& own = cta(thread.cta);
    Warp const& warp = own.warps[thread.warp()];
    clock.add_thread(thread, until);
    if (own.barrier != 0) clock.add_cta(thread.cta, own.barrier);
    if (warp.synced > own.barrier) clock.add_warp(thread.cta, thread.warp(), warp.synced);
    if (warp.met) {
        auto const& met = (*warp.met)[thread.lane()];
        for (std::uint32_t i = 0; i < 32; ++i)
            if (met[i] > std::max(own.barrier, warp.synced))
                clock.add_thread({thread.cta, 32 * thread.warp() + i}, met[i]);
    }
    if (own.known) clock.add(*own.known);
    if (warp.learned) clock.add(*warp.learned);
    if (Knowledge const learned = warp.learned_by(thread.lane())) clock.add(*learned);
}

Knowledge HappensBefore::known_to(Thread const& thread, Time until) {
    auto clock = std::make_shared<Clock>();
    add_known(*clock, thread, until);
    return clock;
}

/// What a value may depend on that the thread stores now: all that has been read before.
Knowledge HappensBefore::dependences(Thread const& thread) {
    Clock known;
    add_known(known, thread, now_);
    Clock read;
    read.add_seen(known, Proxy::generic, Proxy::dependent);
    read.add_seen(known, Proxy::dependent, Proxy::dependent);
    step(cta(thread.cta).warps[thread.warp()]);
    return std::make_shared<Clock const>(std::move(read));
}

Knowledge HappensBefore::join(Knowledge const& one, Knowledge const& more) {
    if (!one || !more || one == more) return joined(one, more);
    if (last_joined_.one != one || last_joined_.more != more) last_joined_ = {one, more, joined(one, more)};
    return last_joined_.both;
}

void HappensBefore::learn(Cta& cta, std::uint32_t warp, std::uint32_t lane, Knowledge const& what) {
    if (!what) return;
    Lane& learner = cta.warps[warp].lane(lane);
    learner.learned = join(learner.learned, what);
    tick(cta.warps[warp]);
}

void HappensBefore::learn(Cta& cta, std::uint32_t number, LaneMask lanes, bool is_whole, Knowledge const& what) {
    Warp& warp = cta.warps[number];
    if (is_whole) {
        warp.learned = joined(warp.learned, what);
        tick(warp);
        return;
    }
    for (LaneMask m = lanes; m != 0; m &= m - 1) learn(cta, number, lane_of(m), what);
}

void HappensBefore::wait_for_grid(Cta& cta, std::uint32_t number, LaneMask lanes, LaneMask live) {
    step(cta.warps[number]);
    auto known = std::make_shared<Clock>();
    known->add_agent(grid_before(), 1);
    learn(cta, number, lanes, (live & ~lanes) == 0, known);
}

void HappensBefore::learn(Cta& cta, std::uint32_t number, Agent agent, Time time) {
    Warp& warp = cta.warps[number];
    auto clock = warp.learned ? std::make_shared<Clock>(*warp.learned) : std::make_shared<Clock>();
    clock->add_agent(agent, time);
    warp.learned = std::move(clock);
    tick(warp);
}

void HappensBefore::gather(Seen& all, Seen const& more) {
    for (std::size_t in_shared = 0; in_shared < all.size(); ++in_shared)
        for (std::size_t reach = 0; reach < all[in_shared].size(); ++reach)
            if (more[in_shared][reach])
                all[in_shared][reach] = join(all[in_shared][reach], more[in_shared][reach]);
}

/// All threads of the CTA have met: each knows what any of them knows.
void HappensBefore::settle(Cta& cta) {
    for (Warp& warp : cta.warps) {
        cta.known = joined(cta.known, std::exchange(warp.learned, nullptr));
        gather(cta.seen, warp.seen);
        if (!warp.lanes) continue;
        Knowledge last;  // lanes often know the same
        for (Lane& lane : *warp.lanes) {
            gather(cta.seen, lane.seen);
            if (lane.learned != last) cta.known = joined(cta.known, lane.learned);
            if (lane.learned) last = std::move(lane.learned);
            lane.learned = nullptr;
        }
    }
}

void HappensBefore::meet(Cta& cta, std::uint32_t number, LaneMask lanes, LaneMask live) {
    Warp& warp = cta.warps[number];
    Time const now = tick(warp);
    if ((live & ~lanes) == 0) {
        warp.synced = now;
    } else {
        if (!warp.met) warp.met = std::make_unique<std::array<std::array<Time, 32>, 32>>();
        for (LaneMask m = lanes; m != 0; m &= m - 1)
            for (LaneMask o = lanes; o != 0; o &= o - 1) (*warp.met)[lane_of(m)][lane_of(o)] = now;
    }
    ++now_;
    if (!warp.lanes) return;
    Knowledge all, last;
    for (LaneMask m = lanes; m != 0; m &= m - 1) {
        Knowledge const& learned = (*warp.lanes)[lane_of(m)].learned;
        if (learned != last) all = joined(all, learned);
        last = learned;
    }
    bool const is_whole = (live & ~lanes) == 0;
    for (LaneMask m = is_whole ? lanes : 0; m != 0; m &= m - 1) gather(warp.seen, (*warp.lanes)[lane_of(m)].seen);
    if (is_whole) warp.learned = joined(warp.learned, all);
    for (LaneMask m = lanes; m != 0; m &= m - 1) (*warp.lanes)[lane_of(m)].learned = is_whole ? nullptr : all;
}

bool HappensBefore::is_before_all(Thread const& other, Time time, Cta const& cta, std::uint32_t warp) const {
    if (other.cta == cta.number) {
        if (time < cta.barrier) return true;
        if (other.warp() == warp && time < cta.warps[warp].synced) return true;
    }
    Knowledge const& learned = cta.warps[warp].learned;
    return (cta.known && cta.known->of_warp(other) >= time) || (learned && learned->of_warp(other) >= time);
}

bool HappensBefore::is_before(Thread const& other, Time time, Cta const& cta, std::uint32_t warp,
                              std::uint32_t lane) const {
    if (is_before_all(other, time, cta, warp)) return true;
    Warp const& own = cta.warps[warp];
    if (other.cta == cta.number && other.warp() == warp) {
        if (other.lane() == lane) return true;
        if (own.met && time < (*own.met)[lane][other.lane()]) return true;
    }
    return knows(cta, warp, lane, [&](Clock const& known) { return known.of(other) >= time; });
}

}  // namespace warpsim::check
