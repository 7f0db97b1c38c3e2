// Whether one access happens before another, or the two may happen at once.
#include "runtime/check/race/race_check.hpp"

#include <algorithm>

namespace warpsim::check {

using Extent = Stamp::Extent;

/// Whether what a stamp stands for cannot race with any thread of the CTA.
bool RaceCheck::is_before_barrier(Stamp earlier, Doer const& by) const {
    if (!earlier.is_since(launch_first_)) return !earlier.is_since(first_);
    Record const& other = record(earlier);
    return other.cta == by.record.cta && other.time < by.cta.barrier && by.record.proxy == Proxy::generic;
}

void RaceCheck::check(Stamp earlier, Settled& settled, Doer const& by) {
    if (!earlier.is_since(launch_first_)) {
        if (earlier.is_since(first_)) check_across(earlier, by);
        return;
    }
    if (settled.stamp.is_like(earlier) && settled.lane == by.lane) return;
    Record const& other = record(earlier);
    // One operation has an order of its own.
    if (earlier.record() == by.id && earlier.lane() == by.lane && by.record.is_beside()) return;
    // Atomics mostly meet others of their kind.
    if (other.is_strong && by.record.is_strong && is_morally_strong(earlier, other, by)) return;
    if (is_ordered(earlier, other, by)) settled = {earlier, by.lane};
    else report(earlier, other, by);
}

bool RaceCheck::is_before_all(std::uint64_t id, Record const& other, Doer const& by) {
    Verdict& verdict = verdicts_[id % verdicts_.size()];
    if (verdict.id == id) return verdict.is_before_all;
    verdict = {id, order_.is_before_all({other.cta, 32 * other.warp}, other.time, by.cta, by.record.warp)};
    return verdict.is_before_all;
}

/// is_ordered(), of most accesses of most programs.
inline bool RaceCheck::is_ordered_by_barriers(Stamp earlier, Record const& other, Doer const& by) {
    if (other.cta != by.record.cta || earlier.extent() == Extent::grid) return false;
    if (other.time < by.cta.barrier) return true;
    if (other.warp != by.record.warp || earlier.extent() == Extent::cta) return false;
    if (other.time < by.cta.warps[by.record.warp].synced) return true;
    return earlier.extent() == Extent::lane && earlier.lane() == by.lane && other.time != Record::pending;
}

/// Whether what a stamp stands for happens before the present access.
bool RaceCheck::is_ordered(Stamp earlier, Record const& other, Doer const& by) {
    if (by.knows_barriers_only && by.record.proxy == Proxy::generic && !other.is_by_lane)
        return is_ordered_by_barriers(earlier, other, by);
    if (!is_one_ordered(earlier, other, by)) return false;
    if (earlier.extent() != Extent::lane) return may_be_ordered(earlier, other, by);
    return is_seen(earlier, other, by);
}

/// When the lane that the stamp names was done with it, as far as threads can know.
Time RaceCheck::time_of(Stamp earlier, Record const& other) const {
    return other.is_by_lane ? times_.at(earlier.record())[earlier.lane()] : other.time;
}

/// ... of the one that a stamp names.
bool RaceCheck::is_one_ordered(Stamp earlier, Record const& other, Doer const& by) {
    std::uint32_t const warp = by.record.warp;
    Thread const one{other.cta, 32 * other.warp + earlier.lane()};
    // cp.async.mbarrier.arrive is for a thread's own copies.
    Agent const agent = other.engine == Engine::copies ? copies_of(one) : other.agent;
    if (agent != 0 && order_.is_complete(agent, other.issued, by.cta, warp, by.lane)) return true;
    // The matrix unit does what one thread gives it in order.
    bool const is_in_order = other.engine == by.record.engine && by.record.engine == Engine::work;
    bool const is_own = other.cta == by.record.cta && other.warp == warp && earlier.lane() == by.lane;
    if (is_own && is_in_order) return true;
    Time const time = time_of(earlier, other);
    if (time == Record::pending) return false;
    if (is_own) return true;
    if (!other.is_by_lane && is_before_all(earlier.record(), other, by)) return true;
    return order_.is_before(one, time, by.cta, warp, by.lane);
}

/// Of stamps that stand for several readers it is not known who all of them are: if there is anything that may have
/// ordered them, they count as ordered.
bool RaceCheck::may_be_ordered(Stamp earlier, Record const& other, Doer const& by) {
    auto const knows_parts = [&] {
        return order_.knows(by.cta, by.record.warp, by.lane,
                            [&](Clock const& known) { return known.knows_parts_of(other.cta); });
    };
    switch (earlier.extent()) {
        case Extent::lane: break;
        case Extent::warp:
            return is_before_all(earlier.record(), other, by) || knows_parts() ||
                   (other.cta == by.record.cta && other.warp == by.record.warp && by.cta.warps[other.warp].met);
        case Extent::cta:
            if (other.cta == by.record.cta) return other.time < by.cta.barrier || knows_parts();
            return is_before_all(earlier.record(), other, by) || knows_parts();
        case Extent::grid:
            return order_.knows(by.cta, by.record.warp, by.lane,
                                [&](Clock const& known) { return known.knows_others_than(by.cta.number); });
    }
    return true;
}

/// Whether the other's write, which is ordered, is also seen by the way to memory that the present access takes. What an
/// engine has written is seen by all who know that it is over; and reads need not be seen.
bool RaceCheck::is_seen(Stamp earlier, Record const& other, Doer const& by) const {
    if (other.sort == Sort::read || other.is_beside() || by.record.proxy == other.proxy) return true;
    if (by.record.proxy == Proxy::generic) return true;
    if (by.record.proxy == Proxy::texture) return false;
    Thread const one{other.cta, 32 * other.warp + earlier.lane()};
    return order_.is_seen(one, other.time, by.record.proxy, by.cta, by.record.warp, by.lane);
}

/// Accesses that may happen at once: both strong, each in the other's scope, of the same bytes.
bool RaceCheck::is_morally_strong(Stamp earlier, Record const& other, Doer const& by) const {
    if (other.proxy != by.record.proxy && (other.sort != Sort::atomic || by.record.sort != Sort::atomic))
        return false;
    if (!other.is_strong || !by.record.is_strong || other.bytes_log2 != by.record.bytes_log2) return false;
    Thread const from{other.cta, 32 * other.warp + earlier.lane()}, to = by.thread();
    // Readers of several CTAs: the one that is known stands for them all.
    return order_.reaches(other.scope, to, from) && order_.reaches(by.record.scope, to, from);
}

}  // namespace warpsim::check
