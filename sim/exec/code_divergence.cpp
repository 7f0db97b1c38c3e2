// Lanes that part and meet while native code runs: the interpreter's own functions change which lanes are where, so that splits,
// convergence barriers, slices and counts are what they are in the interpreter at every moment. If the lanes that it
// would run next are those that the code goes on with, the code does; else it leaves.
#include "sim/exec/code_calls.hpp"
#include "sim/exec/code_runner.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <cstring>
#include <exception>

namespace warpsim::sim {

CompiledExit CodeRunner::part(std::uint32_t branch, LaneMask taken) {
    catch_up();
    CompiledState& s = state_;
    Warp& warp = *s.warp;
    FunctionPlan const& function = *s.function;
    Op const& op = function.ops[branch];
    LaneMask const others = s.active & ~taken;
    FrameIndex const frame = warp.running().frame;
    s.pc = branch;
    bring_up_to_date(s);
    s.guarded_off[branch] += count_lanes(others);
    ++counters_.branch_total;
    std::uint64_t const before = warp.executed;
    counters_.account(function, branch, branch + 1, execution_by_, warp);
    s.executed_here += warp.executed - before;
    try {
        check_uniform(*s.cta, warp, op, taken, others, "branch");
    } catch (...) {
        // An exception must not pass through frames that nobody can unwind.
        s.failure = std::current_exception();
        return CompiledExit::effect;
    }
    counters_.account_divergence(function, branch);
    parts_.divergence.diverge(*s.cta, warp, op, branch, taken, others);
    if (warp.executed >= execution_.slice_end) {
        s.flow = Flow::suspend;
        return CompiledExit::effect;
    }
    bool const falls = first_way(op, branch) == branch + 1;
    return go_on_with(frame, falls ? others : taken, falls ? branch + 1 : op.target);
}

CompiledExit CodeRunner::meet(std::uint32_t converge) {
    catch_up();
    CompiledState& s = state_;
    Warp& warp = *s.warp;
    FrameIndex const frame = warp.running().frame;
    s.pc = converge;
    bring_up_to_date(s);
    if (parts_.divergence.arrive(*s.cta, warp, converge + 1)) return go_on_with(frame, s.active, converge + 1);
    bool const is_one = warp.current < warp.splits.size();
    LaneMask const lanes = is_one ? warp.running().lanes : 0;
    // Code for all lanes does more with them.
    if (is_one && compiled_->code_for(lanes) != code_) {
        s.flow = Flow::regroup;
        return CompiledExit::effect;
    }
    return go_on_with(frame, lanes, converge + 1);
}

/// If these lanes are next in turn, and stand there.
CompiledExit CodeRunner::go_on_with(FrameIndex frame, LaneMask lanes, std::uint32_t op) {
    CompiledState& s = state_;
    Warp const& warp = *s.warp;
    s.flow = Flow::regroup;
    if (warp.current >= warp.splits.size()) return CompiledExit::effect;
    WarpSplit const& split = warp.running();
    bool const is_so = split.lanes == lanes && split.pc == op && split.frame == frame &&
                       split.state == WarpSplit::State::runnable;
    if (!is_so) return CompiledExit::effect;
    s.deltas[s.pc] -= execution_by_;
    count_lanes_of(lanes);
    s.deltas[op] += execution_by_;
    s.pc = op;
    s.executed = warp.executed;
    look_at_warp(s);
    return CompiledExit::none;
}

CompiledExit CodeRunner::part_at_branch() {
    CompiledState& s = state_;
    Op const& op = s.function->ops[s.pc];
    LaneMask guard = 0;
    std::memcpy(&guard, s.bases[op.guard & 3] + (op.guard & ~3), sizeof guard);
    LaneMask const taken = s.active & (op.guard_negated ? ~guard : guard);
    if (taken == 0 || taken == s.active) return CompiledExit::at_op;
    part(s.pc, taken);
    return CompiledExit::effect;
}

/// While a CTA runs as a whole: the lanes that are next in turn have code.
bool CodeRunner::can_regroup() const {
    CompiledState const& s = state_;
    Warp const& warp = *s.warp;
    if (s.failure || s.flow != Flow::regroup || warp.current >= warp.splits.size()) return false;
    WarpSplit const& split = warp.running();
    return split.state == WarpSplit::State::runnable && compiled_->has_entry(split.pc) &&
           &warp.function_of(split) == s.function && compiled_->code_for(split.lanes) != nullptr;
}

CompiledExit CodeRunner::regroup() {
    CompiledState& s = state_;
    Warp& warp = *s.warp;
    WarpSplit const split = warp.running();
    s.deltas[s.pc] -= execution_by_;
    count_lanes_of(split.lanes);
    s.deltas[split.pc] += execution_by_;
    set_warp(warp, warp.executed);
    look_at_warp(s);
    WholeWarp& kept = running();
    kept.code = compiled_->code_for(split.lanes);
    CompiledExit const exit = enter(kept.code, split.pc);
    kept.code = code_;
    catch_up();
    return exit;
}

}  // namespace warpsim::sim
