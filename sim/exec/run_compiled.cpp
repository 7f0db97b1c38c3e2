// How the interpreter runs compiled code, and what this calls.
#include "sim/exec/interpreter.hpp"

#include "sim/exec/lanes/memory_counts.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::sim {

namespace {

template <bool observed> bool access_from_code(CompiledState& state, std::uint32_t op, LaneMask mask) {
    // An exception must not pass through frames that nobody can unwind.
    try {
        state.parts->memory.template access<observed>(*state.cta, *state.warp, state.function->ops[op], mask);
        state.places[op] = state.warp->last;
        return false;
    } catch (...) {
        state.failure = std::current_exception();
        return true;
    }
}

void count_from_code(CompiledState& state, std::uint32_t op, LaneMask mask, std::uint64_t const* addresses) {
    Access const& access = state.function->accesses[state.function->ops[op].target];
    std::uint64_t const window = state.launch->windows.shared;
    bool const is_shared =
        access.space == SpaceKind::shared ||
        (access.space == SpaceKind::generic && Windows::inside(addresses[std::countr_zero(mask)], window));
    std::int64_t const base =
        is_shared && access.space == SpaceKind::generic ? static_cast<std::int64_t>(window) : 0;
    Addresses a;
    state.launch->access.classify64(a, reinterpret_cast<std::byte const*>(addresses), -base, mask, access.bytes);
    count_access(state.counts, is_shared ? SpaceKind::shared : SpaceKind::global, a, state.launch->banks);
}

bool waits_at(CompiledState& state, std::uint32_t op) {
    Warp& warp = *state.warp;
    return state.parts->divergence.find_convergence_barrier(warp, op + 1, warp.running().frame, state.active) !=
           nullptr;
}

bool is_awaited(CompiledState& state, std::uint32_t branch) {
    Warp const& warp = *state.warp;
    std::uint32_t const meet = state.function->ops[branch].reconverge;
    return std::any_of(warp.convergence_barriers.begin(), warp.convergence_barriers.end(),
                       [&](ConvergenceBarrier const& c) {
                           return c.frame == warp.running().frame && c.point > branch && c.point <= meet + 1;
                       });
}

/// The newest split is the one whose lanes have met last.
void move_to_end(Warp& warp) {
    WarpSplit const running = warp.running();
    warp.splits.remove(warp.current);
    warp.splits.add(running);
    warp.current = static_cast<std::uint32_t>(warp.splits.size()) - 1;
}

/// The warp gets what the code has executed since.
void bring_up_to_date(CompiledState& state) {
    Warp& warp = *state.warp;
    Execution& execution = state.parts->execution;
    warp.running().pc = state.pc;
    state.executed_here += state.executed - warp.executed;
    warp.executed = state.executed;
    execution.slice_end = state.slice_end;
    state.cta->changes += std::exchange(state.changes, 0);
    warp.own_changes += std::exchange(state.own_changes, 0);
    if (std::exchange(state.has_parted, 0) != 0 && warp.splits.size() > 1) move_to_end(warp);
}

/// What an effect may change of the warp, while its split goes on.
void look_at_warp(CompiledState& state) {
    Warp const& warp = *state.warp;
    Execution const& execution = state.parts->execution;
    Frame const& frame = warp.running_frame();
    state.slice_end = execution.slice_end;
    state.budget_end = execution.budget_end;
    bool const takes_turns = execution.launch.control_flow == ControlFlow::independent &&
                             (warp.splits.size() > 1 || Divergence::has_waiting_lanes(warp));
    state.longest_slice = takes_turns ? Divergence::longest_slice : UINT64_MAX;
    state.has_barriers = warp.convergence_barriers.empty() ? 0 : 1;
    state.local = state.warp->local.data();
    state.local_end = frame.local_end;
    state.param_end = frame.param_end;
}

CompiledExit carry_out(CompiledState& state, std::uint32_t index, LaneMask mask) {
    bring_up_to_date(state);
    Warp& warp = *state.warp;
    FunctionPlan const& function = *state.function;
    Execution& execution = state.parts->execution;
    Op const& op = function.ops[index];
    OpCounters::Delta const executed = OpCounters::execution_by(state.active);
    WarpInstruction instruction(*state.parts, *state.cta, warp, function, op, mask, &op, executed);
    Flow const flow = op.carry_out(instruction);
    if (flow == Flow::next) {
        if (instruction.counted() != &op) {  // by the effect, and again with what comes behind
            std::uint32_t const counted =
                function.instructions_before[index + 1] - function.instructions_before[index];
            state.deltas[index] -= executed;
            state.deltas[index + 1] += executed;
            warp.executed -= counted;
        }
        look_at_warp(state);
        if (instruction.skipped() == 0) return CompiledExit::none;
        state.pc = index + 1 + instruction.skipped();
        state.executed += function.instructions_before[state.pc] - function.instructions_before[index];
        return CompiledExit::at_op;
    }
    state.flow = flow;
    if (flow == Flow::try_again) {
        warp.running().pc = index;
        state.guarded_off[index] -= count_lanes(state.active & ~mask);
    }
    if (flow != Flow::regroup) execution.gives_way = true;
    return CompiledExit::effect;
}

std::uint32_t effect_from_code(CompiledState& state, std::uint32_t op, LaneMask mask) {
    try {
        return static_cast<std::uint32_t>(carry_out(state, op, mask));
    } catch (...) {
        state.failure = std::current_exception();
        return static_cast<std::uint32_t>(CompiledExit::effect);
    }
}

}  // namespace

/// Runs compiled code of the running warp split from where it stands, if there is an entry. `next`: the interpreter goes on
/// where the split then stands. Throws Fault.
Flow Interpreter::run_compiled(Cta& cta, Warp& warp, CompiledKernel const& kernel) {
    WarpSplit& split = warp.running();
    Frame const& frame = warp.frame_of(split);
    FunctionPlan const& function = *frame.function;
    CompiledFunction const& compiled = kernel.functions[function.plan_index];
    CompiledRun const code = compiled.code_for(split.lanes);
    if (code == nullptr || !compiled.has_entry(split.pc)) return Flow::next;
    if (compiled_edges_.size() < compiled.edges.size()) compiled_edges_.resize(compiled.edges.size());
    CompiledState& s = compiled_;
    s.bases[0] = warp.bases[0] = frame.registers.get();
    std::copy(&warp.bases[1], &warp.bases[4], &s.bases[1]);
    s.guarded_off = counters_.guarded_off.data() + function.counter_base;
    s.edges = compiled_edges_.data();
    if (compiled_places_.empty()) compiled_places_.resize(launch_.plan.op_count);
    s.places = compiled_places_.data() + function.counter_base;
    s.executed = warp.executed;
    s.branches = s.divergent = 0;
    s.has_parted = 0;
    s.changes = s.own_changes = 0;
    s.shared = reinterpret_cast<std::uint64_t>(cta.shared.get());
    s.shared_bytes = launch_.shared_bytes;
    s.shared_window = launch_.windows.shared;
    s.access = sinks_.empty() ? access_from_code<false> : access_from_code<true>;
    s.count = count_from_code;
    s.launch = &launch_;
    s.waits = waits_at;
    s.is_awaited = is_awaited;
    s.active = split.lanes;
    s.effect = effect_from_code;
    s.executed_here = 0;
    s.parts = &parts_;
    s.cta = &cta;
    s.warp = &warp;
    s.function = &function;
    look_at_warp(s);

    OpCounters::Delta const execution = OpCounters::execution_by(split.lanes);
    OpCounters::Delta* const deltas = s.deltas = counters_.deltas.data() + function.counter_base;
    s.pc = split.pc;
    deltas[split.pc] += execution;
    CompiledExit exit = code(s, compiled.entries[split.pc]);
    if (exit == CompiledExit::mismatch) {
        compiled_mismatches_ = true;
        if (compiled.some_lanes != nullptr) exit = compiled.some_lanes(s, compiled.entries[split.pc]);
    }
    deltas[s.pc] -= execution;
    for (std::size_t i = 0; i < compiled.edges.size(); ++i) {
        auto const times = static_cast<std::int64_t>(std::exchange(s.edges[i], 0));
        if (times == 0) continue;
        CompiledFunction::Edge const& edge = compiled.edges[i];
        if (edge.is_guarded) counters_.branch_total += static_cast<std::uint64_t>(times);
        if (!edge.is_taken) {
            counters_.guarded_off[function.counter_base + edge.branch] +=
                static_cast<std::uint64_t>(times * execution.thread);
            continue;
        }
        OpCounters::Delta const all{times * execution.warp, times * execution.thread};
        deltas[edge.branch + 1] -= all;
        deltas[edge.to] += all;
    }
    counters_.branch_total += s.branches;
    counters_.branch_divergent += s.divergent;
    if (exit != CompiledExit::effect) bring_up_to_date(s);
    compiled_executed_ += s.executed_here;
    if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
    switch (exit) {
        case CompiledExit::suspended: return Flow::suspend;
        case CompiledExit::effect: return s.flow;
        default: return Flow::next;
    }
}

}  // namespace warpsim::sim
