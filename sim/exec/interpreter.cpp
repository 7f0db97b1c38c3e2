// The loop that executes the instructions of a warp.
#include "sim/exec/interpreter.hpp"

#include "sim/exec/code_runner.hpp"
#include "sim/exec/tensor/tensor_memory_access.hpp"

#include "sim/exec/warp_instruction.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::sim {

/// Straight-line code that the current warp split executes. The loop alone knows where it is: the ops from `counted`
/// on are not counted yet, and the split's pc is behind, until stop_at(). Code that changes which lanes run where
/// ends the stretch; what it leaves in the warp says where the next one begins.
///
/// All functions are part of the loop, so that the compiler keeps this in registers.
struct Interpreter::Stretch {
    [[gnu::always_inline]] inline Stretch(Interpreter& interpreter, Cta& of, Warp& by)
        : engine(interpreter), cta(of), warp(by) {
        warp.bases[0] = warp.frame_of(split).registers.get();
    }

    Interpreter& engine;
    Cta& cta;
    Warp& warp;
    WarpSplit& split = warp.running();
    FunctionPlan const& function = warp.function_of(split);
    Op const* const code = function.ops.data();
    LaneMask const active = split.lanes;
    OpCounters::Delta const execution = OpCounters::execution_by(active);
    isa::Bases const bases = warp.bases;
    Op const* op = code + split.pc;  // the next one
    Op const* counted = op;

    [[gnu::always_inline]] inline std::uint32_t index(Op const* of) const {
        return static_cast<std::uint32_t>(of - code);
    }
    [[gnu::always_inline]] inline void count_until(Op const* end) const {
        engine.counters_.account(function, index(counted), index(end), execution, warp);
    }
    [[gnu::always_inline]] inline void stop_at(Op const* at) const {
        count_until(at);
        split.pc = index(at);
    }
    /// After what has ended the stretch.
    [[gnu::always_inline]] inline Flow regroup_in_slice() const {
        return warp.executed >= engine.execution_.slice_end ? Flow::suspend : Flow::regroup;
    }

    /// Ops without a guard, and without anyone who wants to be told of them.
    [[gnu::always_inline]] inline void run_lanes() {
        for (; op->kind == OpKind::lanes; ++op) op->run(bases, op->operands, active);
    }
    /// The lanes for which the op's guard is true.
    [[gnu::always_inline]] inline LaneMask guarded() const {
        LaneMask const predicate = *isa::column<LaneMask>(bases, op->guard);
        return active & (op->guard_negated ? ~predicate : predicate);
    }
    [[gnu::always_inline]] inline std::uint64_t& guarded_off() const {
        return engine.counters_.guarded_off[function.counter_base + index(op)];
    }

    [[gnu::always_inline]] inline Flow branch(LaneMask mask) {
        bool const is_guarded = (op->guard & 3) == 0;  // the always-true predicate is a constant
        engine.counters_.branch_total += is_guarded;
        count_until(op + 1);
        if (mask != active) {
            engine.check_uniform(cta, warp, *op, mask, active & ~mask, "branch");
            engine.counters_.account_divergence(function, index(op));
            engine.parts_.divergence.diverge(cta, warp, *op, index(op), mask, active & ~mask);
            return regroup_in_slice();
        }
        bool const backward = op->target <= index(op);
        op = counted = code + op->target;
        if (!backward || warp.executed < engine.execution_.slice_end) return Flow::next;
        split.pc = index(op);
        return Flow::suspend;
    }
    [[gnu::always_inline]] inline Flow branch_indexed(LaneMask mask) const {
        stop_at(op + 1);
        engine.parts_.divergence.branch_indexed(cta, warp, *op, index(op), mask);
        return regroup_in_slice();
    }
    [[gnu::always_inline]] inline Flow converge() {
        auto& divergence = engine.parts_.divergence;
        bool const waits =
            !warp.convergence_barriers.empty() &&
            divergence.find_convergence_barrier(warp, index(op) + 1, split.frame, active) != nullptr;
        if (!waits) {
            ++op;
            return Flow::next;
        }
        stop_at(op);
        divergence.arrive(cta, warp, index(op) + 1);
        return Flow::regroup;
    }
    [[gnu::always_inline]] inline Flow call(LaneMask mask) const {
        count_until(op + 1);
        engine.parts_.calls.call(cta, warp, *op, index(op), mask);
        return regroup_in_slice();
    }
    /// exit, or ret.
    [[gnu::always_inline]] inline Flow leave(LaneMask mask) const {
        stop_at(op + 1);
        bool const exits = op->kind == OpKind::exit || warp.frame_of(split).is_kernel();
        if (exits && !cta.cluster->under_way.empty()) engine.parts_.asynchronous.end_copies(cta, warp, *op, mask);
        if (exits && cta.tensor_memory)
            check_tensor_memory({cta, warp, *op, std::countr_zero(mask)}, mask, engine.execution_);
        if (mask != active) engine.check_uniform(cta, warp, *op, mask, active & ~mask, "return");
        if (exits) engine.exit_lanes(cta, warp, mask);
        else engine.parts_.calls.return_lanes(cta, warp, mask);
        return Flow::regroup;
    }
    [[gnu::always_inline]] inline Flow effect(LaneMask mask) {
        WarpInstruction instruction(engine.parts_, cta, warp, function, *op, mask, counted, execution);
        Flow const flow = op->carry_out(instruction);
        if (flow == Flow::regroup) return flow;
        counted = instruction.counted();
        if (flow == Flow::next) {
            op += 1 + instruction.skipped();
            return flow;
        }
        if (flow == Flow::try_again) {
            stop_at(op);
            guarded_off() -= count_lanes(active & ~mask);
        }
        engine.execution_.gives_way = true;
        return flow;
    }
};

/// Runs the current warp split until it blocks, ends, waits for others, or its slice is used up. `single`: only
/// one instruction of the program.
template <bool observed, bool single> void Interpreter::run_split(Cta& cta, Warp& warp) {
    bool const tells_each = observed && sinks_.want(EventKind::instruction);
    CompiledKernel const* const kernel = !single && launch_.code != nullptr ? launch_.code->current() : nullptr;
    [[maybe_unused]] bool has_begun = false;  // single: the instruction
    while (warp.current < warp.splits.size() && warp.running().state == WarpSplit::State::runnable) {
        if (kernel != nullptr) {
            Flow const flow = runner_->run_split(cta, warp, *kernel);
            if (flow == Flow::regroup) continue;
            if (flow != Flow::next) return;
        }
        Stretch s(*this, cta, warp);
        [[maybe_unused]] CompiledFunction const* compiled = nullptr;
        if (kernel != nullptr && kernel->functions[s.function.plan_index].code_for(s.active) != nullptr)
            compiled = &kernel->functions[s.function.plan_index];
        Flow flow = Flow::next;
        while (flow == Flow::next) {
            if constexpr (single) {
                if (s.op->is_primary || s.op->kind == OpKind::converge) {
                    if (has_begun) return s.stop_at(s.op);
                    has_begun = true;
                }
            } else {
                if (compiled == nullptr) {
                    if (!tells_each) s.run_lanes();
                } else if (s.op != s.code + s.split.pc && compiled->has_entry(s.index(s.op))) {
                    // What follows an op that compiled code left here.
                    s.stop_at(s.op);
                    flow = Flow::regroup;
                    break;
                }
            }
            Op const& op = *s.op;
            LaneMask const mask = s.guarded();
            if constexpr (single) {
                if (op.is_primary) stepped_ = {s.active, mask};
            }
            if (tells_each && op.is_primary) tell_instruction(cta, warp, op, s.active, mask);
            if (mask != s.active) s.guarded_off() += count_lanes(s.active & ~mask);
            if (mask == 0 && op.kind != OpKind::converge) {  // nobody executes it
                counters_.branch_total += op.kind == OpKind::branch || op.kind == OpKind::branch_indexed;
                ++s.op;
                continue;
            }
            switch (op.kind) {
                case OpKind::lanes:
                case OpKind::lanes_guarded:
                    op.run(s.bases, op.operands, mask);
                    ++s.op;
                    break;
                case OpKind::load:
                case OpKind::store:
                case OpKind::atomic:
                    parts_.memory.template access<observed>(cta, warp, op, mask);
                    ++s.op;
                    break;
                case OpKind::branch: flow = s.branch(mask); break;
                case OpKind::branch_indexed: flow = s.branch_indexed(mask); break;
                case OpKind::converge: flow = s.converge(); break;
                case OpKind::call: flow = s.call(mask); break;
                case OpKind::ret:
                case OpKind::exit: flow = s.leave(mask); break;
                case OpKind::report:
                    if constexpr (!observed) {
                        ++s.op;
                        break;
                    }
                    [[fallthrough]];
                case OpKind::effect: flow = s.effect(mask); break;
                case OpKind::nothing: ++s.op; break;
            }
        }
        if (flow != Flow::regroup || (single && has_begun)) return;
    }
}

Interpreter::Interpreter(LaunchContext const& launch, MemoryModel* model)
    : OwnExecution{{launch, model}}, Component(own) {
    if (launch.code != nullptr) runner_ = std::make_unique<CodeRunner>(execution_, parts_);
}
Interpreter::~Interpreter() = default;

void Interpreter::complete_counters() {
    if (runner_) runner_->add_counts();
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
    bool const may_end_phase = (model_ != nullptr && cta.cluster->ctas.size() > 1) ||
                               std::any_of(cta.cluster->ctas.begin(), cta.cluster->ctas.end(),
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
    if (warp.running_frame().function->function->instructions[op.instruction].is_added) return;
    sinks_.tell<InstructionEvent>([&] {
        return InstructionEvent{site(cta, warp, op), is_on_path_ ? mask : active, mask};
    });
}

void Interpreter::tell_start(Cta const& cta) const {
    sinks_.tell<CtaStart>([&] { return CtaStart{cta, cycle()}; });
}

}  // namespace warpsim::sim
