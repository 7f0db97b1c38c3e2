// Knowledge that comes by barriers of a CTA and of a cluster.
#include "runtime/check/race/happens_before.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::check {

using isa::LaneMask;
using isa::Scope;

namespace {

std::uint32_t number_of_lane(LaneMask lanes) { return static_cast<std::uint32_t>(std::countr_zero(lanes)); }

}  // namespace

void HappensBefore::arrive(Cta& cta, std::uint32_t barrier, Arrival arrival) {
    arrival.time = step(cta.warps[arrival.warp]);
    cta.arrivals[barrier].push_back(arrival);
}

/// What an arrival brings: what its threads did before it, and knew. A relaxed one brings what fences have released.
void HappensBefore::add_arrival(Clock& clock, Cta& cta, Arrival const& arrival) {
    Warp const& warp = cta.warps[arrival.warp];
    if (arrival.is_relaxed) {
        Knowledge last;  // lanes often bring the same
        for (LaneMask m = arrival.lanes; m != 0 && warp.lanes; m &= m - 1) {
            Lane const& lane = (*warp.lanes)[number_of_lane(m)];
            bool const has_fence = lane.fence.time != 0 && lane.fence.scope >= Scope::cluster;
            if (has_fence)
                clock.add(*fenced({cta.number, 32 * arrival.warp + number_of_lane(m)}, lane, lane.fence));
        }
        return;
    }
    if (arrival.is_whole) clock.add_warp(cta.number, arrival.warp, arrival.time);
    for (LaneMask m = arrival.lanes; m != 0; m &= m - 1) {
        if (!arrival.is_whole) clock.add_thread({cta.number, 32 * arrival.warp + number_of_lane(m)}, arrival.time);
        if (Knowledge const learned = warp.learned_by(number_of_lane(m))) clock.add(*learned);
    }
    if (warp.learned) clock.add(*warp.learned);
}

bool HappensBefore::release(Cta& cta, std::uint32_t barrier, std::vector<LaneMask> const& live, bool is_for_all) {
    auto const found = cta.arrivals.find(barrier);
    if (found == cta.arrivals.end()) return false;
    std::vector<Arrival> const arrivals = std::move(found->second);
    cta.arrivals.erase(found);
    std::vector<LaneMask> waiting(cta.warps.size(), 0);
    std::vector<bool> comes(cta.warps.size(), false);
    bool is_whole = true;
    for (Arrival const& arrival : arrivals) {
        comes[arrival.warp] = true;
        if (arrival.waits) waiting[arrival.warp] |= arrival.lanes;
        else is_whole &= cta.warps[arrival.warp].accessed <= arrival.time;  // it may have ended since
    }
    // A thread that has ended counts for barriers of all threads, and for no others.
    for (std::size_t w = 0; w < live.size(); ++w)
        is_whole &= (live[w] & ~waiting[w]) == 0 && (live[w] != 0 || is_for_all || comes[w]);
    if (is_whole) {
        cta.barrier = ++now_;
        settle(cta);
    } else {
        Clock clock;
        for (Arrival const& arrival : arrivals) add_arrival(clock, cta, arrival);
        auto const shared = std::make_shared<Clock const>(std::move(clock));
        for (std::uint32_t w = 0; w < live.size(); ++w)
            if (waiting[w] != 0) learn(cta, w, waiting[w], (live[w] & ~waiting[w]) == 0, shared);
    }
    for (Warp& warp : cta.warps) tick(warp);
    return is_whole;
}

// ---- clusters ----------------------------------------------------------------------------------------------------

void HappensBefore::arrive_in_cluster(Cta& cta, Arrival arrival) {
    arrival.time = step(cta.warps[arrival.warp]);
    cta.cluster_arrivals.push_back(arrival);
}

/// Threads may arrive, go on, and wait later; only then they learn of the others.
void HappensBefore::wait_in_cluster(Cta& cta, std::uint32_t warp, LaneMask lanes) {
    auto const& arrivals = cta.cluster_arrivals;
    auto const arrived = std::find_if(arrivals.begin(), arrivals.end(), [&](Arrival const& arrival) {
        return arrival.warp == warp && (arrival.lanes & lanes) != 0;
    });
    if (arrived != arrivals.end()) cta.warps[warp].waiting_in_cluster |= lanes;
    else if (cta.cluster_brings) learn(cta, warp, lanes, lanes == isa::all_lanes, cta.cluster_brings);
}

void HappensBefore::release_cluster(std::uint64_t cluster) {
    std::vector<Cta*> members;
    for (std::uint64_t const number : clusters_[cluster])
        if (auto const found = ctas_.find(number); found != ctas_.end()) members.push_back(found->second.get());
    // It is told for each CTA.
    if (std::all_of(members.begin(), members.end(), [](Cta const* cta) { return cta->cluster_arrivals.empty(); }))
        return;
    Time const now = ++now_;
    Clock clock;
    Knowledge all;
    for (Cta* const cta : members) {
        bool const is_plain =
            std::all_of(cta->cluster_arrivals.begin(), cta->cluster_arrivals.end(), [&](Arrival const& arrival) {
                return !arrival.is_relaxed && cta->warps[arrival.warp].accessed <= arrival.time;
            });
        if (is_plain) clock.add_cta(cta->number, now);
        else if (cta->barrier != 0) clock.add_cta(cta->number, cta->barrier);
        for (Arrival const& arrival : cta->cluster_arrivals) {
            if (!is_plain || cta->warps[arrival.warp].lanes) add_arrival(clock, *cta, arrival);
            else all = joined(all, cta->warps[arrival.warp].learned);
        }
        all = joined(all, cta->known);
    }
    all = joined(all, std::make_shared<Clock const>(std::move(clock)));
    for (Cta* const cta : members) {
        cta->cluster_brings = all;
        for (Arrival const& arrival : std::exchange(cta->cluster_arrivals, {})) {
            Warp& warp = cta->warps[arrival.warp];
            LaneMask const waiting = arrival.lanes & warp.waiting_in_cluster;
            if (waiting != 0)
                learn(*cta, arrival.warp, waiting, arrival.is_whole && waiting == arrival.lanes, all);
        }
        for (Warp& warp : cta->warps) {
            warp.waiting_in_cluster = 0;
            tick(warp);
        }
    }
}

}  // namespace warpsim::check
