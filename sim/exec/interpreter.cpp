// The loop that executes warps, and the turns of the warps of a CTA.
#include "sim/exec/interpreter.hpp"

#include "sim/exec/warp_instruction.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::sim {

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

Interpreter::Outcome Interpreter::run_rounds(Cluster& cluster, std::uint64_t budget_per_warp) {
    // Warps that poll take short turns, so a turn of the cluster may have many rounds of them; other clusters wait
    // meanwhile.
    constexpr int most_rounds = 256;
    for (int round = 0;; ++round) {
        bool moved = false, live = false, waiting = false, out_of_budget = false;
        std::uint64_t const changes = cluster.changes();
        std::uint64_t executed = 0;
        for (Cta& cta : cluster.ctas) {
            for (Warp& warp : cta.warps) {
                if (warp.live() == 0) continue;
                std::uint64_t const before = warp.executed;
                Outcome const outcome = sinks_.empty() ? run_warp<false>(cta, warp, budget_per_warp)
                                                       : run_warp<true>(cta, warp, budget_per_warp);
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

template <bool observed> Interpreter::Outcome Interpreter::run_warp(Cta& cta, Warp& warp, std::uint64_t budget) {
    execution_.budget_end = warp.executed + budget;
    std::size_t polls = 0;
    while (warp.live() != 0) {
        if (!parts_.divergence.pick_split(warp)) {
            // Nothing can run. Volta's convergence is advisory, so waiting lanes are released.
            // With the stack it is mandatory, except for lanes that only have to end.
            if (launch_.control_flow == ControlFlow::independent
                    ? parts_.divergence.release_impatient(cta, warp, true)
                    : parts_.divergence.release_ending(cta, warp))
                continue;
            return Outcome::blocked;
        }
        parts_.divergence.shorten_slice(warp);
        run_split<observed>(cta, warp);
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

/// Runs the current warp split until it blocks, ends, waits for others, or its slice is used up. Code that changes
/// which lanes run where is out of line and leaves the new state in the warp; the loop then starts again from
/// there.
template <bool observed, bool single> void Interpreter::run_split(Cta& cta, Warp& warp) {
    [[maybe_unused]] bool stepped = false;  // single: the instruction has begun
restart:
    if constexpr (single) {
        if (stepped) return;
    }
    if (warp.current >= warp.splits.size() || warp.running().state != WarpSplit::State::runnable) return;
    WarpSplit& split = warp.running();
    FunctionPlan const& function = warp.function_of(split);
    Op const* const code = function.ops.data();
    Op const* run_start = code + split.pc;
    Op const* op = run_start;
    LaneMask const active = split.lanes;
    warp.bases[0] = warp.frame_of(split).registers.get();
    isa::Bases const bases = warp.bases;
    [[maybe_unused]] bool const tells_each = observed && sinks_.want(EventKind::instruction);
    auto const index = [&](Op const* o) { return static_cast<std::uint32_t>(o - code); };
    auto const stop_at = [&](Op const* o) {
        account(function, index(run_start), index(o), active, warp);
        split.pc = index(o);
    };
    for (;;) {
        if constexpr (single) {
            if (op->is_primary || op->kind == OpKind::converge) {
                if (stepped) return stop_at(op);
                stepped = true;
            }
        }
        if constexpr (!single) {
            while (op->kind == OpKind::lanes && !(observed && tells_each)) {
                op->run(bases, op->operands, active);
                ++op;
            }
        }
        LaneMask const predicate = *isa::column<LaneMask>(bases, op->guard);
        LaneMask const mask = active & (op->guard_negated ? ~predicate : predicate);
        if constexpr (single) {
            if (op->is_primary) stepped_ = {active, mask};
        }
        if constexpr (observed) {
            if (tells_each && op->is_primary) tell_instruction(cta, warp, *op, active, mask);
        }
        if (mask != active)
            counters_.guarded_off[function.counter_base + index(op)] += count_lanes(active & ~mask);
        if (mask == 0 && op->kind != OpKind::converge) {  // nobody executes it
            counters_.branch_total += op->kind == OpKind::branch || op->kind == OpKind::branch_indexed;
            ++op;
            continue;
        }
        switch (op->kind) {
            case OpKind::lanes:
            case OpKind::lanes_guarded:
                op->run(bases, op->operands, mask);
                ++op;
                continue;
            case OpKind::load:
            case OpKind::store:
            case OpKind::atomic:
                parts_.memory.template access<observed>(cta, warp, *op, mask);
                ++op;
                continue;
            case OpKind::branch: {
                bool const is_guarded = (op->guard & 3) == 0;  // the always-true predicate is a constant
                counters_.branch_total += is_guarded;
                account(function, index(run_start), index(op) + 1, active, warp);
                if (mask != active) {
                    check_uniform(cta, warp, *op, mask, active & ~mask, "branch");
                    ++counters_.branch_divergent;
                    parts_.divergence.diverge(cta, warp, *op, index(op), mask, active & ~mask);
                    if (warp.executed >= execution_.slice_end) return;
                    goto restart;
                }
                bool const backward = op->target <= index(op);
                op = run_start = code + op->target;
                if (backward && warp.executed >= execution_.slice_end) {
                    split.pc = index(op);
                    return;
                }
                continue;
            }
            case OpKind::branch_indexed:
                stop_at(op + 1);
                parts_.divergence.branch_indexed(cta, warp, *op, index(op), mask);
                if (warp.executed >= execution_.slice_end) return;
                goto restart;
            case OpKind::converge: {
                bool const waits = !warp.convergence_barriers.empty() &&
                                   parts_.divergence.find_convergence_barrier(warp, index(op) + 1, split.frame,
                                                                              active) != nullptr;
                if (!waits) {
                    ++op;
                    continue;
                }
                stop_at(op);
                parts_.divergence.arrive(cta, warp, index(op) + 1);
                goto restart;
            }
            case OpKind::call:
                account(function, index(run_start), index(op) + 1, active, warp);
                parts_.calls.call(cta, warp, *op, index(op), mask);
                if (warp.executed >= execution_.slice_end) return;
                goto restart;
            case OpKind::ret:
            case OpKind::exit:
                stop_at(op + 1);
                if (!cta.cluster->under_way.empty() &&
                    (op->kind == OpKind::exit || warp.frame_of(split).is_kernel())) {
                    parts_.asynchronous.end_copies(cta, warp, *op, mask);
                }
                if (mask != active) check_uniform(cta, warp, *op, mask, active & ~mask, "return");
                if (op->kind == OpKind::exit || warp.frame_of(split).is_kernel()) exit_lanes(cta, warp, mask);
                else parts_.calls.return_lanes(cta, warp, mask);
                goto restart;
            case OpKind::effect: {
                WarpInstruction instruction(parts_, cta, warp, function, *op, index(run_start), active, mask);
                Flow const flow = op->carry_out(instruction);
                if (flow == Flow::regroup) goto restart;
                run_start = code + instruction.counted();
                if (flow == Flow::next) {
                    ++op;
                    continue;
                }
                if (flow == Flow::try_again) {
                    stop_at(op);
                    counters_.guarded_off[function.counter_base + index(op)] -=
                        static_cast<unsigned>(std::popcount(active & ~mask));
                }
                execution_.gives_way = true;
                return;
            }
            case OpKind::nothing: ++op; continue;
        }
    }
}

bool Interpreter::settle(Cta& cta, Warp& warp) {
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

Interpreter::Stepped Interpreter::step(Cta& cta, Warp& warp, bool is_on_path) {
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

void Interpreter::exit_lanes(Cta& cta, Warp& warp, LaneMask lanes) {
    sinks_.tell<ExitEvent>([&] {
        return ExitEvent{site(cta, warp, warp.function_of(warp.running()).ops[warp.running().pc - 1]), lanes};
    });
    parts_.calls.leave(warp, lanes);
    // In timing mode the last arrival ends a phase of the cluster's barrier, not the exit of a thread that has
    // arrived.
    bool const was_awaited = model_ == nullptr || (lanes & ~warp.cluster_arrived) != 0;
    warp.exited |= lanes;
    parts_.divergence.leave_convergences(cta, warp, lanes);
    ++cta.changes;
    parts_.barriers.check(cta);
    bool const may_end_phase =
        model_ != nullptr || std::any_of(cta.cluster->ctas.begin(), cta.cluster->ctas.end(),
                                         [](Cta const& other) { return other.in_cluster_barrier; });
    if (was_awaited && may_end_phase) parts_.barriers.check_cluster(cta);
    parts_.collectives.check(cta, warp);
    if (sinks_.want(EventKind::cta) && cta.has_ended()) sinks_.tell<CtaEnd>([&] { return CtaEnd{cta, cycle()}; });
}

template Interpreter::Outcome Interpreter::run_warp<true>(Cta&, Warp&, std::uint64_t);
template Interpreter::Outcome Interpreter::run_warp<false>(Cta&, Warp&, std::uint64_t);

void Interpreter::tell_instruction(Cta const& cta, Warp const& warp, Op const& op, LaneMask active,
                                   LaneMask mask) const {
    if (is_on_path_ && mask == 0) return;
    sinks_.tell<InstructionEvent>([&] {
        return InstructionEvent{site(cta, warp, op), is_on_path_ ? mask : active, mask};
    });
}

void Interpreter::tell_start(Cta const& cta) const {
    sinks_.tell<CtaStart>([&] { return CtaStart{cta, cycle()}; });
}

}  // namespace warpsim::sim
