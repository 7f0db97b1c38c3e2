// Barriers of CTAs and of clusters: who has arrived, and what happens when all have.
#include "sim/exec/barriers.hpp"

#include <bit>

namespace warpsim::sim {

std::uint32_t Barriers::live_threads(Cta const& cta) {
    std::uint32_t count = 0;
    for (Warp const& warp : cta.warps) count += count_lanes(warp.live());
    return count;
}

/// True when the current warp split continues at once (an arrive, or the last arrival).
bool Barriers::barrier(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    WarpSplit& split = warp.running();
    Barrier const& b = warp.function_of(split).details_of<Barrier>(op);
    int const first = std::countr_zero(mask);
    std::uint32_t const id = isa::column<std::uint32_t>(warp.bases, b.id)[first];
    if (id >= cta.barriers.size())
        fault(cta, warp, op, first, FaultKind::barrier_misuse,
              "barrier " + std::to_string(id) + " does not exist: there are 16");
    BarrierState& state = cta.barriers[id];
    std::uint32_t const count = b.has_count ? isa::column<std::uint32_t>(warp.bases, b.count)[first] : 0;
    if (b.has_count && (count == 0 || count % 32 != 0)) {
        fault(cta, warp, op, first, FaultKind::barrier_misuse,
              "barrier for " + std::to_string(count) + " threads: the count must be a multiple of 32");
    }
    if (b.is_aligned) divergence_.check_aligned(cta, warp, op, mask);
    bool const in_use = (cta.barriers_in_use >> id & 1) != 0;
    // Without a count the barrier is for all threads of the CTA; a count may say the same.
    auto const is_all = [&](std::uint32_t n) { return n == 0 || n == (launch_.threads() + 31) / 32 * 32; };
    if (in_use && state.count != count && !(is_all(state.count) && is_all(count))) {
        fault(cta, warp, op, first, FaultKind::barrier_misuse,
              "barrier " + std::to_string(id) + " for " + std::to_string(count) +
                  " threads, while others wait in it for " + std::to_string(state.count));
    }
    if (!in_use) {
        cta.barriers_in_use |= 1u << id;
        state.count = count;
        state.earlier = 0;
        state.popc = 0;
        state.all = true;
        state.any = false;
        state.arrived.assign(cta.warps.size(), 0);
    }
    LaneMask& arrived = state.arrived[warp.index];
    if ((arrived & mask) != 0) {
        // These lanes have arrived before without waiting: the threads of their warp are counted, and it starts to
        // arrive anew.
        state.earlier += weight(warp, arrived);
        arrived = 0;
    }
    arrived |= mask;
    if (b.kind >= Barrier::Kind::reduce_popc) {
        LaneMask values = *isa::column<LaneMask>(warp.bases, b.source);
        if (b.source_negated) values = ~values;
        state.popc += count_lanes(values & mask);
        state.all &= (mask & ~values) == 0;
        state.any |= (mask & values) != 0;
    }
    ++cta.changes;
    sinks_.tell<BarrierArrival>([&] {
        return BarrierArrival{site(cta, warp, op), BarrierScope::cta, id, mask, b.kind != Barrier::Kind::arrive};
    });
    if (b.kind == Barrier::Kind::arrive) {
        // The arriving lanes do not wait; they must be past the barrier before the others are released.
        check(cta);
        return true;
    }
    divergence_.block(warp, mask, WarpSplit::State::in_barrier, id);
    check(cta);
    return false;
}

/// Threads that a warp contributes to a barrier with a count. Such barriers count warps: one in which all lanes
/// arrive contributes 32, however many it has, and stays counted when it exits.
std::uint32_t Barriers::weight(Warp const& warp, LaneMask arrived) {
    bool const whole = arrived != 0 && (warp.live() & ~arrived) == 0;
    return whole ? 32u : count_lanes(arrived);
}

std::uint32_t Barriers::arrived_threads(Cta const& cta, BarrierState const& state) {
    std::uint32_t arrived = state.earlier;
    for (std::size_t w = 0; w < cta.warps.size(); ++w) {
        LaneMask const here = state.arrived[w];
        arrived += state.count != 0 ? weight(cta.warps[w], here) : count_lanes(here & cta.warps[w].live());
    }
    return arrived;
}

/// A barrier with a count is also complete when only threads that have exited are missing: all others wait in it,
/// and with what the exited ones would have contributed it would be complete (PTX ISA, "exit").
bool Barriers::misses_exited_only(Cta const& cta, std::uint32_t id) {
    BarrierState const& state = cta.barriers[id];
    bool any_exited = false;
    for (Warp const& warp : cta.warps) {
        LaneMask waiting = 0;
        for (WarpSplit const& split : warp.splits) {
            if (split.state == WarpSplit::State::in_barrier && split.barrier == id) waiting |= split.lanes;
        }
        if ((warp.live() & ~waiting) != 0) return false;
        any_exited |= warp.live() == 0;
    }
    return any_exited && state.earlier + 32 * cta.warps.size() >= state.count;
}

/// Whether a barrier for all threads, which each reaches once, waits for some. The last warps are looked at first: mostly they
/// are those that are missing.
bool Barriers::awaits_any(Cta const& cta, BarrierState const& state) {
    for (std::size_t w = cta.warps.size(); w-- > 0;) {
        if ((cta.warps[w].live() & ~state.arrived[w]) != 0) return true;
    }
    return false;
}

void Barriers::check(Cta& cta) {
    for (std::uint32_t bits = cta.barriers_in_use; bits != 0; bits &= bits - 1) {
        auto const id = static_cast<std::uint32_t>(std::countr_zero(bits));
        BarrierState const& state = cta.barriers[id];
        if (state.count == 0 && state.earlier == 0 && awaits_any(cta, state)) continue;
        if (arrived_threads(cta, state) >= (state.count != 0 ? state.count : live_threads(cta)) ||
            (state.count != 0 && misses_exited_only(cta, id))) {
            complete_barrier(cta, id);
        }
    }
}

void Barriers::complete_barrier(Cta& cta, std::uint32_t id) {
    BarrierState& state = cta.barriers[id];
    cta.barriers_in_use &= ~(1u << id);
    ++cta.changes;
    sinks_.tell<BarrierRelease>([&] { return BarrierRelease{cta, BarrierScope::cta, id, cycle()}; });
    for (Warp& warp : cta.warps) {
        for (WarpSplit& split : warp.splits) {
            if (split.state != WarpSplit::State::in_barrier || split.barrier != id) continue;
            Barrier const& b = warp.function_of(split).details_of<Barrier>(warp.op_of(split));
            if (b.kind >= Barrier::Kind::reduce_popc && b.result != discard) {
                std::byte* const d = warp.frame_of(split).registers.get() + b.result;
                if (b.kind == Barrier::Kind::reduce_popc) {
                    auto* const lanes = reinterpret_cast<std::uint32_t*>(d);
                    for (LaneMask m = split.lanes; m != 0; m &= m - 1) lanes[std::countr_zero(m)] = state.popc;
                } else {
                    auto* const bits = reinterpret_cast<LaneMask*>(d);
                    bool const value = b.kind == Barrier::Kind::reduce_and ? state.all : state.any;
                    *bits = value ? *bits | split.lanes : *bits & ~split.lanes;
                }
            }
            account_op(split, warp);
            split.state = WarpSplit::State::runnable;
            ++split.pc;
        }
    }
}

void Barriers::cluster_arrive(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    // The split has already passed the instruction; the position before it is needed for the fault only.
    if (op.operands.immediate != 0) divergence_.check_aligned(cta, warp, op, mask);
    if (LaneMask const again = warp.cluster_owing & mask) {
        fault(cta, warp, op, std::countr_zero(again), FaultKind::barrier_misuse,
              "barrier.cluster.arrive a second time, without a barrier.cluster.wait after the first");
    }
    warp.cluster_arrived |= mask;
    warp.cluster_owing |= mask;
    cta.in_cluster_barrier = true;
    ++cta.changes;
    sinks_.tell<BarrierArrival>([&] {
        return BarrierArrival{site(cta, warp, op), BarrierScope::cluster, 0, mask, false};
    });
    check_cluster(cta);
}

/// True when the current warp split continues at once.
bool Barriers::cluster_wait(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    if (op.operands.immediate != 0) divergence_.check_aligned(cta, warp, op, mask);
    if (LaneMask const early = mask & ~warp.cluster_owing) {
        fault(cta, warp, op, std::countr_zero(early), FaultKind::barrier_misuse,
              "barrier.cluster.wait without a barrier.cluster.arrive before it");
    }
    sinks_.tell<BarrierArrival>([&] {
        return BarrierArrival{site(cta, warp, op), BarrierScope::cluster, 0, mask, true};
    });
    if ((warp.cluster_arrived & mask) == 0) {  // the barrier has been completed already
        warp.cluster_owing &= ~mask;
        return true;
    }
    divergence_.block(warp, mask, WarpSplit::State::in_cluster_barrier, 0);
    return false;
}

void Barriers::check_cluster(Cta& cta) {
    if (model_ != nullptr && cta.cluster->ctas.size() > 1) model_->cluster_arrival(cta);
    else end_cluster_phase(*cta.cluster);
}

/// Threads that have exited are not waited for.
bool Barriers::end_cluster_phase(Cluster& cluster) {
    bool used = false;
    for (Cta const& cta : cluster.ctas) {
        for (Warp const& warp : cta.warps) {
            if ((warp.live() & ~warp.cluster_arrived) != 0) return false;
            used |= warp.cluster_arrived != 0;
        }
    }
    if (!used) return false;
    for (Cta& cta : cluster.ctas) {
        cta.in_cluster_barrier = false;
        ++cta.changes;
        if (model_ == nullptr || cluster.ctas.size() == 1) tell_cluster_release(cta);
        for (Warp& warp : cta.warps) {
            warp.cluster_arrived = 0;
            for (WarpSplit& split : warp.splits) {
                if (split.state != WarpSplit::State::in_cluster_barrier) continue;
                account_op(split, warp);
                warp.cluster_owing &= ~split.lanes;
                split.state = WarpSplit::State::runnable;
                ++split.pc;
            }
        }
    }
    return true;
}

std::string Barriers::missing_in_cluster(Cluster const& cluster) {
    std::string text;
    std::uint32_t threads = 0, arrived = 0;
    for (Cta const& cta : cluster.ctas) {
        std::uint32_t missing = 0;
        for (Warp const& warp : cta.warps) {
            threads += count_lanes(warp.live());
            arrived += count_lanes(warp.live() & warp.cluster_arrived);
            missing += count_lanes(warp.live() & ~warp.cluster_arrived);
        }
        if (missing != 0)
            text += (text.empty() ? "; missing are " : ", ") + std::to_string(missing) + " of rank " +
                    std::to_string(cta.rank);
    }
    return " (" + std::to_string(arrived) + " of " + std::to_string(threads) + " threads have come" + text + ")";
}

void Barriers::tell_cluster_release(Cta const& cta) const {
    sinks_.tell<BarrierRelease>([&] { return BarrierRelease{cta, BarrierScope::cluster, 0, cycle()}; });
}

}  // namespace warpsim::sim
