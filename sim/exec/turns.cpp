// Whose turn it is: the rounds of a cluster's warps, the splits of a warp, and the single steps of engines with a clock.
#include "sim/exec/code_runner.hpp"
#include "sim/exec/interpreter.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::sim {

Interpreter::Outcome Interpreter::run_new(Cluster& cluster, std::uint64_t linear, std::uint64_t budget_per_warp) {
    CompiledKernel const* const kernel = launch_.code != nullptr ? launch_.code->current() : nullptr;
    bool const is_as_left = cluster.is_unmarked;
    start(cluster, linear);
    if (kernel == nullptr || !runner_->can_run_whole(*kernel)) return run(cluster, budget_per_warp);
    Cta& cta = cluster.ctas.front();
    std::optional<Left> const left = runner_->run_whole(cta, *kernel, budget_per_warp, is_as_left);
    if (left && left->warp != nullptr) return run_rounds(cluster, budget_per_warp, &*left);
    cluster.is_unmarked = !left;
    if (left) cta.executed = cta.sum_executed();
    cluster.executed = cta.executed;
    return left ? Outcome::out_of_budget : Outcome::finished;
}

Interpreter::Outcome Interpreter::run(Cluster& cluster, std::uint64_t budget_per_warp) {
    if (launch_.sm_clocks == nullptr) return run_rounds(cluster, budget_per_warp);
    std::vector<std::uint64_t> before;
    for (Cta& cta : cluster.ctas) {
        before.push_back(cta.executed);
        cta.clock_offset = launch_.sm_clocks[cta.sm].load(std::memory_order_relaxed) - cta.executed;
    }
    Outcome const outcome = run_rounds(cluster, budget_per_warp);
    for (std::size_t i = 0; i < before.size(); ++i) {
        Cta const& cta = cluster.ctas[i];
        launch_.sm_clocks[cta.sm].fetch_add(cta.executed - before[i], std::memory_order_relaxed);
    }
    return outcome;
}

/// `left`: in the middle of a round.
Interpreter::Outcome Interpreter::run_rounds(Cluster& cluster, std::uint64_t budget_per_warp, Left const* left) {
    // Warps that poll take short turns, so a turn of the cluster may have many rounds of them; other clusters wait
    // meanwhile.
    for (int round = left != nullptr ? left->round : 0;; ++round) {
        bool moved = left != nullptr && left->moved, out_of_budget = left != nullptr && left->out_of_budget;
        bool live = false, waiting = false;
        std::uint64_t const changes = cluster.changes() - (left != nullptr && left->changed ? 1 : 0);
        std::uint64_t executed = 0;
        for (Cta& cta : cluster.ctas) {
            for (Warp& warp : cta.warps) {
                if (warp.live() == 0) continue;
                std::uint64_t before = warp.executed;
                std::optional<Flow> begun;
                if (left != nullptr) {
                    live = true;
                    if (left->warp != &warp) continue;  // it has had its turn
                    before = left->before;
                    begun = left->flow;
                    left = nullptr;
                }
                Outcome const outcome = sinks_.empty() ? run_warp<false>(cta, warp, budget_per_warp, begun)
                                                       : run_warp<true>(cta, warp, budget_per_warp, begun);
                moved |= warp.executed != before && outcome != Outcome::waiting;
                live |= outcome != Outcome::finished;
                waiting |= outcome == Outcome::waiting;
                out_of_budget |= outcome == Outcome::out_of_budget;
            }
            // Not summed up turn by turn, because a barrier also counts instructions of warps that do not have the
            // turn.
            cta.executed = cta.sum_executed();
        }
        for (Cta const& cta : cluster.ctas) executed += cta.executed;
        cluster.executed = executed;
        if (!live) return Outcome::finished;
        if (out_of_budget || round == most_rounds) return Outcome::out_of_budget;
        if (moved || (waiting && cluster.changes() != changes)) continue;
        if (!waiting) return Outcome::blocked;
        if (!release_waiting(cluster)) return Outcome::out_of_budget;
    }
}

/// Releases lanes that wait to reconverge with lanes that poll or spin: these may be waiting for what the released
/// lanes do next.
bool Interpreter::release_waiting(Cluster& cluster) {
    if (launch_.control_flow != ControlFlow::independent) return false;
    bool released = false;
    for (Cta& cta : cluster.ctas) {
        for (Warp& warp : cta.warps)
            released |= warp.live() != 0 && parts_.divergence.release_impatient(cta, warp, true);
    }
    return released;
}

/// `begun`: in the middle of its turn, after code that says this.
template <bool observed>
Interpreter::Outcome Interpreter::run_warp(Cta& cta, Warp& warp, std::uint64_t budget, std::optional<Flow> begun) {
    if (!begun) execution_.budget_end = warp.executed + budget;
    std::size_t polls = 0;
    while (warp.live() != 0) {
        std::optional<Flow> const after = std::exchange(begun, std::nullopt);
        if (!after && !parts_.divergence.pick_split(warp)) {
            // Nothing can run. Volta's convergence is advisory, so waiting lanes are released.
            // With the stack it is mandatory, except for lanes that only have to end.
            if (launch_.control_flow == ControlFlow::independent
                    ? parts_.divergence.release_impatient(cta, warp, true)
                    : parts_.divergence.release_ending(cta, warp))
                continue;
            return Outcome::blocked;
        }
        if (!after) parts_.divergence.shorten_slice(warp);
        if (!after || *after == Flow::next || *after == Flow::regroup) run_split<observed>(cta, warp);
        if (execution_.gives_way) {
            execution_.gives_way = false;
            bool const others = std::any_of(warp.splits.begin(), warp.splits.end(), [&](WarpSplit const& g) {
                return &g != &warp.running() && g.state == WarpSplit::State::runnable;
            });
            if (!others || ++polls > warp.splits.size()) return Outcome::waiting;
        }
        if (warp.executed >= execution_.budget_end)
            return warp.live() != 0 ? Outcome::out_of_budget : Outcome::finished;
        if (launch_.control_flow == ControlFlow::independent)
            parts_.divergence.release_impatient(cta, warp, parts_.divergence.slice_spins(cta, warp));
    }
    return Outcome::finished;
}

bool Interpreter::settle_anew(Cta& cta, Warp& warp) {
    bool const turns = launch_.control_flow == ControlFlow::independent;
    execution_.budget_end = UINT64_MAX;
    execution_.slice_end = warp.slice_end;
    bool next = warp.executed >= execution_.slice_end || warp.current >= warp.splits.size() ||
                warp.running().state != WarpSplit::State::runnable;
    bool can_go = true;
    while (can_go && warp.live() != 0) {
        if (next) {
            if (turns)
                parts_.divergence.release_impatient(
                    cta, warp, parts_.divergence.slice_spins(cta, warp) || std::exchange(warp.let_go, false));
            // Volta's convergence is advisory: waiting lanes are released when nothing else can run.
            while (!parts_.divergence.pick_split(warp) && can_go)
                can_go = turns ? parts_.divergence.release_impatient(cta, warp, true)
                               : parts_.divergence.release_ending(cta, warp);
            if (!can_go) break;
            parts_.divergence.shorten_slice(warp);
        }
        WarpSplit& split = warp.running();
        if (warp.op_of(split).kind != OpKind::converge) break;
        bool const waits =
            !warp.convergence_barriers.empty() &&
            parts_.divergence.find_convergence_barrier(warp, split.pc + 1, split.frame, split.lanes) != nullptr;
        if (waits) parts_.divergence.arrive(cta, warp, split.pc + 1);
        else ++split.pc;
        next = warp.current >= warp.splits.size() || warp.running().state != WarpSplit::State::runnable;
    }
    warp.slice_end = execution_.slice_end;
    return can_go && warp.live() != 0;
}

/// Accesses, and branches that all lanes take or none does: they need little of what run_split() does. False: this is another
/// instruction.
inline bool Interpreter::step_alone(Cta& cta, Warp& warp, Op const*& next) {
    WarpSplit& split = warp.running();
    Frame const& frame = warp.frame_of(split);
    FunctionPlan const& function = *frame.function;
    Op const& op = function.ops[split.pc];
    bool const is_access = op.kind == OpKind::load || op.kind == OpKind::store || op.kind == OpKind::atomic;
    if (!(is_access || op.kind == OpKind::branch) || sinks_.want(EventKind::instruction)) return false;
    if (split.pc + 1 == function.ops.size() || !is_alone(op)) return false;  // a branch may be the last one
    warp.bases[0] = frame.registers.get();
    LaneMask const mask = guarded(warp, op, split.lanes);
    std::uint32_t pc = split.pc + 1;
    if (op.kind == OpKind::branch) {
        if (mask != 0 && mask != split.lanes) return false;
        if (mask != 0) pc = op.target;
        Op const& to = function.ops[pc];
        if (!to.is_primary && to.kind != OpKind::converge) return false;
        counters_.branch_total += mask == 0 || (op.guard & 3) == 0;  // the always-true predicate is a constant
    }
    stepped_ = {split.lanes, mask};
    count_guarded_off(function, split.pc, split.lanes & ~mask);
    if (is_access && mask != 0) parts_.memory.access<true>(cta, warp, op, mask);
    next = step_to(warp, split, function, pc);
    return true;
}

Interpreter::Stepped Interpreter::step(Cta& cta, Warp& warp, bool is_on_path, Op const*& next) {
    if (step_lanes(warp, stepped_, next) || step_alone(cta, warp, next)) return stepped_;
    next = nullptr;
    execution_.budget_end = UINT64_MAX;
    execution_.slice_end = warp.slice_end;
    stepped_ = {};
    is_on_path_ = is_on_path;
    run_split<true, true>(cta, warp);
    warp.slice_end =
        execution_.gives_way ? warp.executed : execution_.slice_end;  // a warp that polls lets others run first
    execution_.gives_way = false;
    return stepped_;
}

}  // namespace warpsim::sim
