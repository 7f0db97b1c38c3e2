#include "runtime/check/sync/barrier_use.hpp"

#include "runtime/check/sync/only_ends.hpp"
#include "sim/exec/barriers.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <bit>
#include <optional>
#include <string>

namespace warpsim::check {

using isa::LaneMask;
using sim::BarrierScope;

namespace {

/// Lanes of a warp that are somewhere else, and one of them.
struct Elsewhere {
    LaneMask lanes = 0;
    std::optional<Doer> one;
};

/// Lanes that are expected at a point where all come together again and which those here have passed. Hardware lets nobody pass
/// there; the engine does where the others spin, as thread 0 of a block does that waits for other blocks, and all behind the
/// point is executed by them, too.
LaneMask late_lanes(sim::Warp const& warp, sim::Frame const& frame, LaneMask here) {
    LaneMask expected = 0, with_those_here = 0;
    for (sim::ConvergenceBarrier const& c : warp.convergence_barriers) {
        if (&warp.frame(c.frame) != &frame) continue;
        ((c.lanes & here) == 0 ? expected : with_those_here) |= c.lanes;
    }
    return expected & ~with_those_here;
}

/// ... of these.
Elsewhere elsewhere(sim::Cta const& cta, sim::Warp const& warp, LaneMask absent) {
    Elsewhere found;
    auto const add = [&](sim::Frame const& frame, std::uint32_t pc, LaneMask lanes) {
        lanes &= absent;
        if (lanes == 0 || only_ends(frame, pc)) return;
        found.lanes |= lanes;
        if (found.one) return;
        found.one = Doer{cta.id,
                         32 * warp.index + static_cast<std::uint32_t>(std::countr_zero(lanes)),
                         {frame.function->index, frame.function->ops[pc].instruction}};
    };
    for (sim::WarpSplit const& split : warp.splits) add(warp.frame_of(split), split.pc, split.lanes);
    for (sim::ConvergenceBarrier const& c : warp.convergence_barriers)
        add(warp.frame(c.frame), c.point, c.arrived);
    return found;
}

}  // namespace

void BarrierUse::ends(sim::Cta const& cta) {
    late_.erase(late_.lower_bound({cta.linear, 0, nullptr}), late_.lower_bound({cta.linear + 1, 0, nullptr}));
}

void BarrierUse::arrives(sim::BarrierArrival const& e) {
    check_lanes(e);
    if (e.scope != BarrierScope::cta) return;
    auto const& barrier = e.site.frame.function->details_of<sim::Barrier>(e.site.op);
    check_sorts(e, barrier.kind >= sim::Barrier::Kind::reduce_popc);
}

/// .aligned: all threads of the warp execute the same instruction. What the engine does not refuse works here, since it lets
/// each lane arrive by itself.
void BarrierUse::check_lanes(sim::BarrierArrival const& e) {
    bool const is_aligned = e.scope == BarrierScope::cta
                                ? e.site.frame.function->details_of<sim::Barrier>(e.site.op).is_aligned
                                : e.site.op.operands.immediate != 0;
    if (!is_aligned || e.site.warp.live() == e.lanes) return;
    LaneMask& known = late_[{e.site.cta.linear, e.site.warp.index, &e.site.op}];
    bool const comes_late = (e.lanes & ~known) == 0;
    known &= ~e.lanes;
    if (comes_late) return;
    LaneMask const absent = e.site.warp.live() & ~e.lanes, late = late_lanes(e.site.warp, e.site.frame, e.lanes);
    known |= absent & late;
    Elsewhere const others = elsewhere(e.site.cta, e.site.warp, absent & ~late);
    if (others.lanes == 0) return;
    reporter_.add(MisuseSort::divergent, doer_of(e.site, std::countr_zero(e.lanes)), [&] {
        Misuse wrong{"divergent barrier", ""};
        wrong.message = "divergent barrier: all threads of a warp must execute it together, and " +
                        sim::lanes_text(e.lanes) + (std::popcount(e.lanes) == 1 ? " does" : " do") + " without " +
                        sim::lanes_text(others.lanes);
        wrong.verb = "waits";
        wrong.other = others.one;
        wrong.other_verb = "is elsewhere";
        wrong.notes.emplace_back(
            "move the barrier to where all threads come by, or wait for some with __syncwarp(mask)");
        return wrong;
    });
}

/// "barrier.red should not be intermixed with barrier.sync or barrier.arrive using the same active barrier".
void BarrierUse::check_sorts(sim::BarrierArrival const& e, bool reduces) {
    Doer const by = doer_of(e.site, std::countr_zero(e.lanes));
    auto const [first, is_first] = arrivals_.try_emplace({e.site.cta.linear, e.id}, First{by, reduces});
    if (is_first || first->second.reduces == reduces) return;
    reporter_.add(MisuseSort::mixed, by, [&, &first = first] {
        Misuse wrong{"barriers of different sorts meet", ""};
        wrong.message = "barrier " + std::to_string(e.id) + ": one that reduces meets one that does not";
        wrong.verb = "arrives";
        wrong.other = first->second.by;
        wrong.other_verb = "had arrived";
        wrong.notes.emplace_back("all threads must execute the same sort of barrier");
        return wrong;
    });
}

void BarrierUse::releases(sim::BarrierRelease const& e) {
    if (e.scope != BarrierScope::cta) return;
    auto const first = arrivals_.find({e.cta.linear, e.id});
    if (first == arrivals_.end()) return;
    sim::BarrierState const& state = e.cta.barriers[e.id];
    std::uint32_t const arrived = sim::Barriers::arrived_threads(e.cta, state);
    if (state.count != 0 && arrived < state.count) {
        reporter_.add(MisuseSort::unfilled, first->second.by, [&] {
            Misuse wrong{"barrier with too few threads", ""};
            wrong.message = "barrier " + std::to_string(e.id) + " for " + std::to_string(state.count) +
                            " threads: " + std::to_string(arrived) + " have come, and all others have ended";
            wrong.verb = "waits";
            wrong.notes.emplace_back(
                "an ending thread counts for barriers of all threads only, not for those with a count");
            return wrong;
        });
    }
    arrivals_.erase(first);
}

}  // namespace warpsim::check
