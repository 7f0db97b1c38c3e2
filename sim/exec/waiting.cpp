// Which threads wait for what, for reports of deadlocks.
#include "sim/exec/waiting.hpp"

#include "sim/exec/async_operations.hpp"
#include "sim/exec/barriers.hpp"
#include "sim/exec/collectives.hpp"
#include "sim/exec/tensor/tensor_allocation.hpp"

#include <bit>

namespace warpsim::sim {

namespace {

/// The op at which spinning lanes read memory, if it is near; otherwise where they are.
std::uint32_t looking_op(FunctionPlan const& function, std::uint32_t pc) {
    auto const looks = [&](std::uint32_t i) {
        OpKind const kind = function.ops[i].kind;
        return kind == OpKind::load || kind == OpKind::atomic;
    };
    auto const jumps = [&](std::uint32_t i) {
        OpKind const kind = function.ops[i].kind;
        return kind == OpKind::branch || kind == OpKind::branch_indexed || kind == OpKind::call ||
               kind == OpKind::ret || kind == OpKind::exit;
    };
    for (std::uint32_t i = pc; i < function.ops.size(); ++i) {
        if (looks(i)) return i;
        if (jumps(i)) break;
    }
    for (std::uint32_t i = pc; i-- > 0 && !jumps(i);) {
        if (looks(i)) return i;
    }
    return pc;
}

/// The warps that a wait for products of a warpgroup waits for; empty for other instructions.
std::string missing_of_warpgroup(Cta const& cta, Warp const& warp, FunctionPlan const& function, Op const& op) {
    if (op.effect != isa::Effect::warpgroup_order || cta.warpgroups.empty()) return {};
    auto const& order = function.details_of<WarpgroupOrder>(op);
    if (order.kind != WarpgroupOrder::Kind::wait) return {};
    std::uint32_t const group = warp.index / warps_of_group;
    std::uint32_t const missing = cta.warpgroups[group].missing(warp.index % warps_of_group, order.left);
    return missing == 0
               ? std::string()
               : "wait for products that " + warps_text(group * warps_of_group, missing) + " did not execute";
}

void describe(LaunchContext const& launch, Cta const& cta, std::string& text, int& shown) {
    auto const add = [&](Warp const& warp, LaneMask lanes, FunctionPlan const& function, std::uint32_t pc,
                         std::string const& what) {
        if (++shown > 8) return;
        text += "  block (" + std::to_string(cta.id[0]) + "," + std::to_string(cta.id[1]) + "," +
                std::to_string(cta.id[2]) + "), warp " + std::to_string(warp.index) + ", " + lanes_text(lanes) +
                ": " + what + " at " + line_of(*launch.plan.module, function, pc) + "\n";
    };
    for (Warp const& warp : cta.warps) {
        for (WarpSplit const& split : warp.splits) {
            FunctionPlan const& function = warp.function_of(split);
            // A loop around a failing test is short.
            bool const polls = warp.polled != nullptr && warp.executed - warp.polled_at < 64;
            bool const is_below = launch.control_flow == ControlFlow::stack && &split != &warp.splits.back();
            std::string what = is_below ? "wait for those above them on the reconvergence stack"
                               : polls  ? AsyncOperations::polled_mbarrier(cta, warp)
                                        : "run in circles";
            if (split.state == WarpSplit::State::in_barrier) {
                BarrierState const& state = cta.barriers[split.barrier];
                std::uint32_t const arrived = Barriers::arrived_threads(cta, state);
                what = "wait in barrier " + std::to_string(split.barrier) + " (" + std::to_string(arrived) +
                       " of " + std::to_string(state.count != 0 ? state.count : Barriers::live_threads(cta)) +
                       " threads have come)";
            } else if (split.state == WarpSplit::State::in_cluster_barrier) {
                what = "wait in the barrier of the cluster" + Barriers::missing_in_cluster(*cta.cluster);
            } else if (std::uint32_t const columns = wanted_tensor_columns(warp, split);
                       columns != 0 && cta.tensor_memory) {
                what = "wait for " + std::to_string(columns) + " columns of tensor memory (the block has " +
                       cta.tensor_memory->allocated_text() + ")";
            } else if (waits_for_registers(launch, cta, warp, split)) {
                what = waiting_text(launch, cta, warp, split);
            } else if (split.state == WarpSplit::State::in_collective) {
                Collective const& c = function.details_of<Collective>(function.ops[split.pc]);
                auto const* const members = reinterpret_cast<std::uint32_t const*>(
                    ((c.members & 3) == 0 ? warp.frame_of(split).registers.get() : warp.bases[c.members & 3]) +
                    (c.members & ~3));
                LaneMask const missing = members[std::countr_zero(split.lanes)] & warp.live() & ~split.lanes;
                what = "wait for " + lanes_text(missing);
            }
            std::string const products = missing_of_warpgroup(cta, warp, function, function.ops[split.pc]);
            if (split.state == WarpSplit::State::runnable && !products.empty()) what = products;
            bool const runs = split.state == WarpSplit::State::runnable && !polls && !is_below &&
                              wanted_tensor_columns(warp, split) == 0 && products.empty() &&
                              !waits_for_registers(launch, cta, warp, split);
            add(warp, split.lanes, function, runs ? looking_op(function, split.pc) : split.pc, what);
        }
        for (ConvergenceBarrier const& c : warp.convergence_barriers) {
            if (c.arrived == 0) continue;
            add(warp, c.arrived, *warp.frame(c.frame).function, c.point,
                "wait to reconverge with " + lanes_text(c.lanes & ~c.arrived));
        }
    }
}

}  // namespace

std::string describe_waiting(LaunchContext const& launch, Cluster const& cluster) {
    std::string text;
    int shown = 0;
    for (Cta const& cta : cluster.ctas) describe(launch, cta, text, shown);
    if (shown > 8) text += "  ... and " + std::to_string(shown - 8) + " more\n";
    if (!text.empty()) text.pop_back();
    return text;
}

}  // namespace warpsim::sim
