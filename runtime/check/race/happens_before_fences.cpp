// Release patterns that acquire patterns observe: fences, and strong accesses.
#include "runtime/check/race/happens_before.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::check {

using isa::LaneMask;
using isa::Order;
using isa::Scope;

namespace {

bool acquires(Order order) { return order == Order::acquire || order == Order::acq_rel || order == Order::sc; }
bool releases(Order order) { return order == Order::release || order == Order::acq_rel || order == Order::sc; }

/// How far a scope reaches: the CTA, the cluster, everybody.
std::size_t reach_of(Scope scope) { return scope >= Scope::gpu ? 2 : scope == Scope::cluster ? 1 : 0; }

HappensBefore::Fence const& fence_before(HappensBefore::Lane const& lane, bool is_in_shared) {
    bool const is_later = lane.fence_of_shared.time > lane.fence.time;
    return is_in_shared && is_later ? lane.fence_of_shared : lane.fence;
}

}  // namespace

/// What a fence of the thread has released: what it knew there. If all threads of its CTA have met since, also what each of
/// them had known at a fence of its own before that, as programs rely on that everywhere.
Knowledge HappensBefore::fenced(Thread const& thread, Lane const& lane, Fence const& fence) {
    Cta const& own = cta(thread.cta);
    if (fence.time >= own.barrier) return known_to(thread, fence.time);
    Clock clock;
    clock.add_thread(thread, fence.time);
    if (fence.barrier != 0) clock.add_cta(thread.cta, fence.barrier);
    for (std::uint32_t w = 0; w < own.warps.size(); ++w) {
        if (!own.warps[w].lanes) continue;
        auto const& lanes = *own.warps[w].lanes;
        auto const [first, last] = std::minmax_element(
            lanes.begin(), lanes.end(), [](Lane const& a, Lane const& b) { return a.fence.time < b.fence.time; });
        Time const least = first->fence.time;
        if (least != 0 && last->fence.time <= own.barrier) clock.add_warp(thread.cta, w, least);
        for (std::uint32_t i = 0; i < 32; ++i)
            if (lanes[i].fence.time > least && lanes[i].fence.time <= own.barrier)
                clock.add_thread({thread.cta, 32 * w + i}, lanes[i].fence.time);
    }
    if (own.known) clock.add(*own.known);
    if (Knowledge const& learned = own.warps[thread.warp()].learned) clock.add(*learned);
    if (lane.learned) clock.add(*lane.learned);
    return std::make_shared<Clock>(std::move(clock));
}

void HappensBefore::fence(Cta& cta, std::uint32_t number, LaneMask lanes, Scope scope, Order order,
                          bool is_of_shared) {
    Warp& warp = cta.warps[number];
    Time const now = step(warp);
    for (LaneMask m = lanes; m != 0; m &= m - 1) {
        Lane& lane = warp.lane(static_cast<std::uint32_t>(std::countr_zero(m)));
        for (std::size_t in_shared = is_of_shared ? 1 : 0; order != Order::release && in_shared < 2; ++in_shared) {
            for (std::size_t reach = 0; reach <= reach_of(scope); ++reach) {
                if (Knowledge const seen = std::exchange(lane.seen[in_shared][reach], nullptr))
                    lane.learned = join(lane.learned, seen);
                // What others have seen before they met this thread: in the Fence-SC order this fence can only come behind the one
                // that has released it, else it would come before what was seen.
                if (order != Order::sc) continue;
                for (Seen const* const nearby : {&warp.seen, &cta.seen})
                    if (Knowledge const& seen = (*nearby)[in_shared][reach])
                        lane.learned = join(lane.learned, seen);
            }
        }
        if (order != Order::acquire)
            (is_of_shared ? lane.fence_of_shared : lane.fence) = {now, scope, cta.barrier};
    }
}

/// How far a scope has to reach to include both.
std::size_t HappensBefore::reach(Thread const& one, std::uint64_t other_cta) const {
    return one.cta == other_cta ? 0 : is_in_cluster_of(one.cta, other_cta) ? 1 : 2;
}

/// A strong read has seen what was released, but acquires nothing without a fence.
void HappensBefore::see(Lane& lane, Thread const& thread, SyncPlace const& place, Thread const& by,
                        Knowledge const& what) {
    Knowledge& seen = lane.seen[place.owner != 0 ? 1 : 0][reach(thread, by.cta)];
    seen = join(seen, what);
}

void HappensBefore::access(Thread const& thread, StrongAccess const& access) {
    Cta& own = cta(thread.cta);
    Warp& warp = own.warps[thread.warp()];
    auto const found = places_.find(access.place);
    if (access.reads && found != places_.end()) {
        Released const& released = found->second;
        learn(own, thread.warp(), thread.lane(), released.depends_on);
        bool const is_seen =
            reaches(released.scope, released.by, thread) && reaches(access.scope, thread, released.by);
        if (!released.what) {
            // Nothing was released.
        } else if (!is_seen) {
            short_scope_ = {released.by, released.scope};
        } else if (acquires(access.order)) {
            learn(own, thread.warp(), thread.lane(), released.what);
        } else {
            see(warp.lane(thread.lane()), thread, access.place, released.by, released.what);
        }
    }
    if (access.reads && !mbarriers_.empty()) read_mbarrier(thread, access);
    if (!access.writes) return;
    Released released{nullptr, nullptr, thread, access.scope};
    if (releases(access.order)) {
        released.what = known_to(thread, now_);
        ++now_;
        warp.changed = now_;
    } else if (warp.lanes) {
        Lane const& lane = (*warp.lanes)[thread.lane()];
        Fence const& fence = fence_before(lane, access.place.owner != 0);
        if (fence.time != 0) {
            released.what = fenced(thread, lane, fence);
            released.scope = std::min(access.scope, fence.scope);
        }
    }
    if (access.is_computed && !access.reads) released.depends_on = dependences(thread);
    bool const goes_on =
        access.reads && found != places_.end();  // a read-modify-write continues what others released
    if (goes_on) {
        found->second.what = joined(found->second.what, released.what);
        if (released.what) {
            found->second.by = thread;
            found->second.scope = std::max(found->second.scope, released.scope);
        }
    } else if (released.what || released.depends_on) {
        places_[access.place] = std::move(released);
    } else if (found != places_.end()) {
        places_.erase(found);
    }
}

}  // namespace warpsim::check
