// How native code of a warp split is entered and left.
#include "sim/exec/code_runner.hpp"

#include "sim/exec/code_calls.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <exception>
#include <utility>

namespace warpsim::sim {

Flow CodeRunner::run_split(Cta& cta, Warp& warp, CompiledKernel const& kernel) {
    WarpSplit& split = warp.running();
    Frame const& frame = warp.frame_of(split);
    FunctionPlan const& function = *frame.function;
    CompiledFunction const& compiled = kernel.functions[function.plan_index];
    CompiledRun const code = compiled.code_for(split.lanes);
    if (code == nullptr || !compiled.has_entry(split.pc)) return Flow::next;
    prepare(cta, function, compiled);
    count_lanes_of(split.lanes);
    set_warp(warp, warp.executed);
    look_at_warp(state_);
    state_.deltas[split.pc] += execution_by_;
    CompiledExit exit = enter(code, split.pc);
    if (parts_at_branch(exit)) exit = part_at_branch();
    return leave(exit, execution_by_);
}

/// What code of the function needs to know, whichever warp runs it.
void CodeRunner::prepare(Cta& cta, FunctionPlan const& function, CompiledFunction const& compiled) {
    CompiledState& s = state_;
    compiled_ = &compiled;
    s.bases[1] = launch_.plan_block;
    s.bases[2] = cta.columns.get();
    s.guarded_off = counters_.guarded_off.data() + function.counter_base;
    s.parted = counters_.divergent.data() + function.counter_base;
    if (places_.empty()) places_.resize(launch_.plan.op_count);
    s.places = places_.data() + function.counter_base;
    s.deltas = counters_.deltas.data() + function.counter_base;
    s.branches = s.divergent = 0;
    s.has_parted = 0;
    s.changes = s.own_changes = 0;
    s.shared = reinterpret_cast<std::uint64_t>(cta.shared.get());
    s.shared_bytes = launch_.shared_bytes;
    s.shared_window = launch_.windows.shared;
    s.launch = &launch_;
    set_calls(s, !sinks_.empty());
    s.executed_here = 0;
    s.parts = &parts_;
    s.cta = &cta;
    s.function = &function;
    clears_ = function.frame_bytes != function.param_area;
    s.runner = this;
    s.whole = nullptr;
    s.running = s.last_to_run = nullptr;
}

void CodeRunner::count_lanes_of(LaneMask lanes) {
    count_ends();
    state_.active = lanes;
    execution_by_ = OpCounters::execution_by(lanes);
    auto const count = static_cast<std::uint32_t>(execution_by_.thread);
    state_.edges = edges_.of(*compiled_, *state_.function, count, counters_);
}

void CodeRunner::set_warp(Warp& warp, std::uint64_t executed) {
    CompiledState& s = state_;
    s.bases[0] = warp.bases[0] = warp.running_frame().registers.get();
    s.bases[3] = warp.bases[3];
    s.executed = warp.executed = executed;
    s.warp = &warp;
}

/// Runs the code from the op on, for the lanes that the state names.
CompiledExit CodeRunner::enter(CompiledRun code, std::uint32_t op) {
    state_.pc = op;
    code_ = code;
    CompiledExit const exit = code(state_, compiled_->entries[op]);
    if (exit != CompiledExit::mismatch) return exit;
    has_mismatched_ = true;
    if (compiled_->some_lanes == nullptr) return exit;
    code_ = compiled_->some_lanes;
    return code_(state_, compiled_->entries[op]);
}

/// Behind code that was entered with its first op counted.
Flow CodeRunner::leave(CompiledExit exit, OpCounters::Delta const& execution) {
    CompiledState& s = state_;
    s.deltas[s.pc] -= execution;
    counters_.branch_total += s.branches;
    counters_.branch_divergent += s.divergent;
    if (exit != CompiledExit::effect) bring_up_to_date(s);
    executed_ += s.executed_here;
    if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
    switch (exit) {
        case CompiledExit::suspended: return Flow::suspend;
        case CompiledExit::effect: return s.flow;
        default: return Flow::next;
    }
}

}  // namespace warpsim::sim
