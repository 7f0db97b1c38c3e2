// Whether one access happens before another, or the two may happen at once.
#include "runtime/check/race/race_check.hpp"

#include "runtime/check/race/dependence.hpp"
#include "sim/exec/launch_context.hpp"

#include <algorithm>

namespace warpsim::check {

using Extent = Stamp::Extent;

void RaceCheck::check(Stamp const& earlier, Settled& settled, Doer const& by) {
    if (!earlier.is_any()) return;
    if (earlier.record() < launch_first_) return check_across(earlier, by);
    if (settled.stamp.is_like(earlier) && settled.lane == by.lane) return;
    Record const& other = records_[earlier.record()];
    // Atomics mostly meet those of the same instruction.
    if (by.manner.is_strong && other.manner == by.record.manner && other.cta == by.record.cta) return;
    // One operation has an order of its own.
    if (earlier.record() == by.id && earlier.lane == by.lane && by.manner.is_beside()) return;
    if (by.manner.is_strong && manner(other).is_strong && is_morally_strong(earlier, other, by)) {
        if (is_in_step(earlier, other, by) && !is_ordered(earlier, other, by)) report_step(earlier, other, by);
        return;
    }
    if (is_ordered(earlier, other, by)) settled = {earlier, by.lane};
    else report(earlier, other, by);
}

/// Whether a lane reads by a volatile load what another of its warp has computed and stored by a volatile store, in shared memory
/// and without waiting for it in a loop: each access is in order, but no value can be relied on, unless lanes run in step.
bool RaceCheck::is_in_step(Stamp const& earlier, Record const& other, Doer const& by) {
    if (by.event == nullptr || by.event->access.order != isa::Order::volatile_ || by.reads_again) return false;
    Manner const& how = manner(other);
    bool const is_of_warp = other.cta == by.record.cta && other.warp == by.record.warp && earlier.lane != by.lane;
    if (!is_of_warp || by.event->space != sim::SpaceKind::shared || by.manner.sort != Sort::read ||
        how.sort != Sort::write)
        return false;
    std::uint64_t const key = std::uint64_t{by.record.manner} << 32 | other.manner;
    auto const [entry, is_new] = in_step_.try_emplace(key);
    if (is_new) {
        ir::Module const& module = *launch_->plan.module;
        ir::Function const& storing = module.functions[how.instruction.function];
        ir::Function const& loading = module.functions[by.manner.instruction.function];
        ir::Instruction const& store = storing.instructions[how.instruction.index];
        entry->second = module.forms[store.form].order == isa::Order::volatile_ &&
                        depends_on_memory(module, storing, store) &&
                        !decides_its_loop(module, loading, by.manner.instruction.index);
    }
    return entry->second;
}

bool RaceCheck::is_before_all(std::uint32_t id, Record const& other, Doer const& by) {
    Verdict& verdict = verdicts_[id % verdicts_.size()];
    if (verdict.id == id) return verdict.is_before_all;
    Thread const first{other.cta, 32 * static_cast<std::uint32_t>(other.warp)};
    verdict = {id, order_.is_before_all(first, other.time, by.cta, static_cast<std::uint32_t>(by.record.warp))};
    return verdict.is_before_all;
}

/// Whether a stamp in a cell of many bytes is ordered before all of the lanes that access these together. If not, it may still
/// be: by what single lanes know.
bool RaceCheck::is_settled(Stamp const& earlier, Doer const& by) {
    if (earlier.number <= by.settled_number) return true;
    Record const& other = records_[earlier.record()];
    if (earlier.record() < launch_first_) return is_launch_over(launches_[manner(other).launch]);
    if (by.manner.proxy != Proxy::generic || other.is_by_lane) return false;
    bool const is_same_warp = other.cta == by.record.cta && other.warp == by.record.warp;
    if (other.cta == by.record.cta && earlier.extent != Extent::grid && other.time < by.cta.barrier) return true;
    if (is_same_warp && earlier.extent == Extent::lane && earlier.lane == by.lane &&
        earlier.step_log2 == by.step_log2 && other.time != Record::pending)
        return true;
    return earlier.extent <= Extent::warp && is_before_all(earlier.record(), other, by);
}

/// is_ordered(), of most accesses of most programs.
inline bool RaceCheck::is_ordered_by_barriers(Stamp const& earlier, Record const& other, Doer const& by) {
    if (other.cta != by.record.cta || earlier.extent == Extent::grid) return false;
    if (other.time < by.cta.barrier) return true;
    if (other.warp != by.record.warp || earlier.extent == Extent::cta) return false;
    if (other.time < by.cta.warps[by.record.warp].synced) return true;
    return earlier.extent == Extent::lane && earlier.lane == by.lane && other.time != Record::pending;
}

/// Whether what a stamp stands for happens before the present access.
bool RaceCheck::is_ordered(Stamp const& earlier, Record const& other, Doer const& by) {
    if (by.knows_barriers_only && by.manner.proxy == Proxy::generic && !other.is_by_lane)
        return is_ordered_by_barriers(earlier, other, by);
    if (!is_one_ordered(earlier, other, by)) return is_behind_read(earlier, other, by);
    return may_be_ordered(earlier, other, by) && is_seen(earlier, other, by);
}

/// ... of the one that a stamp names.
bool RaceCheck::is_one_ordered(Stamp const& earlier, Record const& other, Doer const& by) {
    auto const warp = static_cast<std::uint32_t>(by.record.warp);
    Engine const engine = manner(other).engine;
    Thread const one = thread_of(earlier, other);
    if (engine != Engine::thread) {
        Beside const& beside = records_.beside(earlier.record());
        // cp.async.mbarrier.arrive is for a thread's own copies.
        Agent const agent = engine == Engine::copies ? copies_of(one) : beside.agent;
        if (agent != 0 && order_.is_complete(agent, beside.issued, by.cta, warp, by.lane)) return true;
    }
    // The matrix unit does what one thread gives it in order.
    bool const is_in_order = engine == by.manner.engine && engine == Engine::work;
    bool const is_own = other.cta == by.record.cta && other.warp == warp && earlier.lane == by.lane;
    if (is_own && is_in_order) return true;
    Time const time = records_.time_of(earlier.record(), earlier.lane);
    if (time == Record::pending) return false;
    if (is_own) return true;
    if (!other.is_by_lane && is_before_all(earlier.record(), other, by)) return true;
    return order_.is_before(one, time, by.cta, warp, by.lane);
}

/// Of stamps that stand for several threads it is not known who all of them are: if there is anything that may have
/// ordered them, they count as ordered.
bool RaceCheck::may_be_ordered(Stamp const& earlier, Record const& other, Doer const& by) {
    auto const knows_parts = [&] {
        return order_.knows(by.cta, static_cast<std::uint32_t>(by.record.warp), by.lane,
                            [&](Clock const& known) { return known.knows_parts_of(other.cta); });
    };
    switch (earlier.extent) {
        case Extent::lane: break;
        case Extent::warp:
            return is_before_all(earlier.record(), other, by) || knows_parts() ||
                   (other.cta == by.record.cta && other.warp == by.record.warp && by.cta.warps[other.warp].met);
        case Extent::cta:
            if (other.cta == by.record.cta) return other.time < by.cta.barrier || knows_parts();
            return is_before_all(earlier.record(), other, by) || knows_parts();
        case Extent::grid:
            return order_.knows(by.cta, static_cast<std::uint32_t>(by.record.warp), by.lane,
                                [&](Clock const& known) { return known.knows_others_than(by.cta.number); });
    }
    return true;
}

/// A write behind a read on whose value something depends that the writer has observed. It cannot be what was read: a value
/// would then depend on itself ("No-Thin-Air"). Who works in place behind a look-back relies on that.
bool RaceCheck::is_behind_read(Stamp const& earlier, Record const& other, Doer const& by) const {
    Manner const& how = manner(other);
    bool const is_of_threads = !how.is_beside() && !by.manner.is_beside();
    return how.sort == Sort::read && by.manner.sort == Sort::write && is_of_threads &&
           order_.is_behind_read(thread_of(earlier, other), other.time, by.cta,
                                 static_cast<std::uint32_t>(by.record.warp), by.lane);
}

/// Whether the other's write, which is ordered, is also seen by the way to memory that the present access takes. What an
/// engine has written is seen by all who know that it is over; and reads need not be seen.
bool RaceCheck::is_seen(Stamp const& earlier, Record const& other, Doer const& by) const {
    Manner const& how = manner(other);
    if (how.sort == Sort::read || how.is_beside() || by.manner.proxy == how.proxy) return true;
    if (by.manner.proxy == Proxy::generic) return true;
    if (by.manner.proxy == Proxy::texture) return false;
    bool const is_acquired =
        by.manner.proxy != Proxy::map || order_.is_complete(map_at(by.address), other.time, by.cta,
                                                            static_cast<std::uint32_t>(by.record.warp), by.lane);
    if (!is_acquired) return false;
    return order_.is_seen(thread_of(earlier, other), other.time, by.manner.proxy, by.cta,
                          static_cast<std::uint32_t>(by.record.warp), by.lane);
}

/// Accesses that may happen at once: both strong, each in the other's scope, of the same bytes.
bool RaceCheck::is_morally_strong(Stamp const& earlier, Record const& other, Doer const& by) const {
    Manner const& how = manner(other);
    if (how.proxy != by.manner.proxy && (how.sort != Sort::atomic || by.manner.sort != Sort::atomic)) return false;
    if (!how.is_strong || !by.manner.is_strong || how.bytes_log2 != by.manner.bytes_log2) return false;
    Thread const from = thread_of(earlier, other), to = by.thread();
    // Readers of several CTAs: the one that is known stands for them all.
    return order_.reaches(how.scope, to, from) && order_.reaches(by.manner.scope, to, from);
}

}  // namespace warpsim::check
