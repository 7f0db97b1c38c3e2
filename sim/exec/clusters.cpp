// What the CTAs of a cluster share: its barrier.
#include "sim/exec/interpreter.hpp"

#include <bit>

namespace warpsim::sim {

void Interpreter::cluster_arrive(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    // The group is already behind the instruction; a place in front of it is that of the fault only.
    if (op.operands.immediate != 0) check_aligned(cta, warp, op, mask);
    if (LaneMask const again = warp.cluster_owing & mask) {
        fault(cta, warp, op, std::countr_zero(again), "barrier.cluster.arrive a second time, without a barrier.cluster.wait after the first");
    }
    warp.cluster_arrived |= mask;
    warp.cluster_owing |= mask;
    ++cta.changes;
    check_cluster_barrier(*cta.cluster);
}

/// True when the current group goes on at once.
bool Interpreter::cluster_wait(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    if (op.operands.immediate != 0) check_aligned(cta, warp, op, mask);
    if (LaneMask const early = mask & ~warp.cluster_owing) {
        fault(cta, warp, op, std::countr_zero(early), "barrier.cluster.wait without a barrier.cluster.arrive before it");
    }
    if ((warp.cluster_arrived & mask) == 0) {   // complete already
        warp.cluster_owing &= ~mask;
        return true;
    }
    block(warp, mask, Group::State::in_cluster_barrier, 0);
    return false;
}

/// Threads that have exited are not waited for.
void Interpreter::check_cluster_barrier(Cluster& cluster) {
    bool used = false;
    for (Cta const& cta : cluster.ctas) {
        for (Warp const& warp : cta.warps) {
            if ((warp.live() & ~warp.cluster_arrived) != 0) return;
            used |= warp.cluster_arrived != 0;
        }
    }
    if (!used) return;
    for (Cta& cta : cluster.ctas) {
        ++cta.changes;
        for (Warp& warp : cta.warps) {
            warp.cluster_arrived = 0;
            for (Group& group : warp.groups) {
                if (group.state != Group::State::in_cluster_barrier) continue;
                account(*group.frame->function, group.pc, group.pc + 1, group.lanes, warp);
                warp.cluster_owing &= ~group.lanes;
                group.state = Group::State::runnable;
                ++group.pc;
            }
        }
    }
}

std::string Interpreter::missing_in_cluster(Cluster const& cluster) {
    std::string text;
    std::uint32_t threads = 0, arrived = 0;
    for (Cta const& cta : cluster.ctas) {
        std::uint32_t missing = 0;
        for (Warp const& warp : cta.warps) {
            threads += static_cast<std::uint32_t>(std::popcount(warp.live()));
            arrived += static_cast<std::uint32_t>(std::popcount(warp.live() & warp.cluster_arrived));
            missing += static_cast<std::uint32_t>(std::popcount(warp.live() & ~warp.cluster_arrived));
        }
        if (missing != 0) text += (text.empty() ? "; missing are " : ", ") + std::to_string(missing) + " of rank " + std::to_string(cta.rank);
    }
    return " (" + std::to_string(arrived) + " of " + std::to_string(threads) + " threads have come" + text + ")";
}

}  // namespace warpsim::sim
