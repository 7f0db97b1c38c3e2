// Knowledge that comes by mbarriers, and what proxy fences make of it.
#include "runtime/check/race/happens_before.hpp"

#include <bit>
#include <utility>

namespace warpsim::check {

using isa::LaneMask;
using isa::Scope;

namespace {

std::uint32_t lane_of_mask(LaneMask lanes) { return static_cast<std::uint32_t>(std::countr_zero(lanes)); }

Knowledge seen_also(Clock const& known, Proxy by, Proxy also) {
    auto seen = std::make_shared<Clock>();
    seen->add_seen(known, by, also);
    return seen;
}

}  // namespace

void HappensBefore::arrive_at_mbarrier(Thread const& thread, SyncPlace const& place, bool is_relaxed) {
    Warp& warp = cta(thread.cta).warps[thread.warp()];
    Clock& present = mbarriers_[place].present;
    if (!is_relaxed) {
        add_known(present, thread, now_);
    } else if (warp.lanes) {
        Lane const& lane = (*warp.lanes)[thread.lane()];
        Fence const& fence = lane.fence_of_shared.time > lane.fence.time ? lane.fence_of_shared : lane.fence;
        if (fence.time != 0) present.add(*fenced(thread, lane, fence));
    }
    step(warp);
}

void HappensBefore::arrive_at_mbarrier(SyncPlace const& place, Agent agent, Time time) {
    mbarriers_[place].present.add_agent(agent, time);
}

void HappensBefore::complete_mbarrier(SyncPlace const& place) {
    Mbarrier& mbarrier = mbarriers_[place];
    // Copies that count their bytes here are complete, if they had begun.
    if (place.owner != 0) mbarrier.present.add_agent(mbarrier_of(place.owner - 1, place.address), now_++);
    // Who waits for an earlier phase may look only now.
    mbarrier.before =
        joined(mbarrier.before, std::make_shared<Clock const>(std::exchange(mbarrier.present, Clock())));
}

void HappensBefore::pass_mbarrier(Thread const& thread, SyncPlace const& place, bool is_relaxed) {
    auto const found = mbarriers_.find(place);
    if (found == mbarriers_.end()) return;
    Cta& own = cta(thread.cta);
    if (!is_relaxed) return learn(own, thread.warp(), thread.lane(), found->second.before);
    Lane& lane = own.warps[thread.warp()].lane(thread.lane());
    see(lane, thread, place, thread, found->second.before);
}

/// An arrival changes the mbarrier like an atomic, and a load of it observes all that have come: "release sequence".
void HappensBefore::read_mbarrier(Thread const& thread, StrongAccess const& access) {
    auto const found = mbarriers_.find(access.place);
    if (found == mbarriers_.end()) return;
    Knowledge const arrived = joined(found->second.before, std::make_shared<Clock const>(found->second.present));
    Cta& own = cta(thread.cta);
    bool const acquires = access.order == isa::Order::acquire || access.order == isa::Order::acq_rel;
    if (acquires) return learn(own, thread.warp(), thread.lane(), arrived);
    see(own.warps[thread.warp()].lane(thread.lane()), thread, access.place, thread, arrived);
}

void HappensBefore::fence_proxy(Cta& cta, std::uint32_t number, LaneMask lanes, LaneMask live, Proxy by,
                                Proxy also) {
    Warp& warp = cta.warps[number];
    Time const now = step(warp);
    bool const is_whole = (live & ~lanes) == 0;
    if (is_whole) {
        Clock known;
        known.add_warp(cta.number, number, now);
        if (cta.barrier != 0) known.add_cta(cta.number, cta.barrier);
        if (cta.known) known.add(*cta.known);
        if (warp.learned) known.add(*warp.learned);
        warp.learned = joined(warp.learned, seen_also(known, by, also));
    }
    Knowledge last, last_seen;  // lanes often know the same
    for (LaneMask m = lanes; m != 0; m &= m - 1) {
        std::uint32_t const lane = lane_of_mask(m);
        if (!is_whole) {
            Clock known;
            add_known(known, {cta.number, 32 * number + lane}, now);
            Lane& own = warp.lane(lane);
            own.learned = joined(own.learned, seen_also(known, by, also));
        } else if (Knowledge const learned = warp.learned_by(lane)) {
            if (learned != last) last_seen = joined(learned, seen_also(*learned, by, also));
            last = learned;
            (*warp.lanes)[lane].learned = last_seen;
        }
    }
}

void HappensBefore::release_maps(Cta& cta, std::uint32_t number, LaneMask lanes, LaneMask live, Scope scope) {
    bool const is_near = scope == Scope::cta || scope == Scope::cluster;
    fence_proxy(cta, number, lanes, live, Proxy::generic,
                is_near ? Proxy::released_map_nearby : Proxy::released_map);
}

void HappensBefore::acquire_maps(Cta& cta, std::uint32_t number, LaneMask lanes, Scope scope,
                                 std::array<std::uint64_t, 32> const& maps) {
    Time const now = step(cta.warps[number]);
    for (LaneMask m = lanes; m != 0; m &= m - 1) {
        std::uint32_t const lane = lane_of_mask(m);
        Thread const thread{cta.number, 32 * number + lane};
        Clock known;
        add_known(known, thread, now);
        Lane& own = cta.warps[number].lane(lane);
        if (own.learned) known.add(*own.learned);
        auto seen = std::make_shared<Clock>();
        seen->add_seen(known, Proxy::released_map, Proxy::map, [&](std::uint64_t other) {
            return reaches(scope, thread, {other, 0});
        });
        // A barrier of the CTA, or of the cluster, must then have been in between.
        seen->add_seen(known, Proxy::released_map_nearby, Proxy::map, [&](std::uint64_t other) {
            return reaches(scope, thread, {other, 0}) && is_in_cluster_of(cta.number, other);
        });
        seen->add_agent(map_at(maps[lane]), now);
        own.learned = joined(own.learned, seen);
    }
}

}  // namespace warpsim::check
