// What native code calls, and what it takes from a warp and leaves in it.
#include "sim/exec/code_calls.hpp"

#include "sim/exec/code_columns.hpp"
#include "sim/exec/code_runner.hpp"
#include "sim/exec/code_scattered.hpp"
#include "sim/exec/lanes/memory_counts.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::sim {

namespace {

/// The newest split is the one whose lanes have met last.
void move_to_end(Warp& warp) {
    WarpSplit const running = warp.running();
    warp.splits.remove(warp.current);
    warp.splits.add(running);
    warp.current = static_cast<std::uint32_t>(warp.splits.size()) - 1;
}

}  // namespace

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

namespace {

template <bool observed> bool access_from_code(CompiledState& state, std::uint32_t op, LaneMask mask) {
    state.runner->catch_up();
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

/// Effects that neither read nor change anything but registers, memory and the warp's own turn.
bool is_own(isa::Effect effect) {
    using isa::Effect;
    switch (effect) {
        case Effect::fence:
        case Effect::shuffle:
        case Effect::vote:
        case Effect::match:
        case Effect::elect:
        case Effect::reduce_warp:
        case Effect::barrier_warp:
        case Effect::active_mask: return true;
        default: return false;
    }
}

CompiledExit carry_out(CompiledState& state, std::uint32_t index, LaneMask mask) {
    state.runner->catch_up();
    if (state.whole != nullptr && !is_own(state.function->ops[index].effect)) state.runner->make_real();
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

std::uint32_t part_from_code(CompiledState& state, std::uint32_t branch, LaneMask taken) {
    return static_cast<std::uint32_t>(state.runner->part(branch, taken));
}
std::uint32_t meet_from_code(CompiledState& state, std::uint32_t converge) {
    return static_cast<std::uint32_t>(state.runner->meet(converge));
}

}  // namespace

void set_calls(CompiledState& state, bool observed) {
    state.access = observed ? access_from_code<true> : access_from_code<false>;
    state.count = count_from_code;
    state.waits = waits_at;
    state.is_awaited = is_awaited;
    state.effect = effect_from_code;
    state.part = part_from_code;
    state.meet = meet_from_code;
    set_column_calls(state);
    set_scattered_call(state);
}

}  // namespace warpsim::sim
