// The loop that executes the instructions of a warp.
#include "sim/exec/interpreter.hpp"

#include "sim/exec/warp_instruction.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::sim {

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

template void Interpreter::run_split<true, false>(Cta&, Warp&);
template void Interpreter::run_split<false, false>(Cta&, Warp&);
template void Interpreter::run_split<true, true>(Cta&, Warp&);

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
