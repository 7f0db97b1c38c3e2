// What each instruction of a warp passes on its way to the next one, inlined where that is decided: its operands, and the cycle
// in which it could issue.
#pragma once

#include "sim/timing/sm/sm.hpp"

#include <algorithm>

namespace warpsim::timing {

[[gnu::always_inline]] inline void Sm::find_bundle(WarpState& s) {
    s.main = s.code->instructions[s.instruction].main;
    s.timed = &s.code->instructions[s.main];
    s.micro = 0;
    s.has_released = false;
}

/// When an operand lets the instruction issue.
[[gnu::always_inline]] inline Sm::Wait Sm::operand_ready(std::uint32_t w, BoardOperand operand,
                                                         OperandWays const& ways) const {
    std::size_t const at = w * board_stride_ + operand.slot;
    Cycle ready = board_[at];
    std::uint8_t const maker = makers_[at];
    sim::StallReason const reason = waits_for_[maker];
    if (operand.role == Role::result) return {ready == engine::never ? engine::never : 0, reason};
    if (counters_.are_shared() && is_signalled(maker))
        ready = std::max(ready, counters_.ready(w, counter_of_[at]));
    return {ready == engine::never ? engine::never : ready + ways[static_cast<std::size_t>(operand.role)][maker],
            reason};
}

/// When all operands of the next instruction, and of those that are executed with it, are ready.
[[gnu::always_inline]] inline Sm::Wait Sm::operands_ready(std::uint32_t w, Wait wait) {
    WarpState const& s = warps_[w];
    FunctionTiming const& f = *s.code;
    TimedInstruction const& main = *s.timed;
    Cycle const* const ready = board(w);
    OperandWays const& ways = ways_[main.unit == MicroUnit::alu ? 0 : main.unit == MicroUnit::fma ? 1 : 2];
    // What was there by then cannot make the warp wait any longer, however it is used.
    Cycle settled = wait.until - std::min(wait.until, longest_way_);
    BoardOperand const* const end = f.operands.data() + main.operands_end;
    for (BoardOperand const* o = f.operands.data() + f.instructions[s.instruction].first_operand; o != end; ++o) {
        if (ready[o->slot] <= settled) continue;
        Wait const here = operand_ready(w, *o, ways);
        if (here.until <= wait.until) continue;
        wait = here;
        settled = wait.until - std::min(wait.until, longest_way_);
    }
    return main.waits_for_more ? more_ready(w, wait) : wait;
}

[[gnu::always_inline]] inline void Sm::set_wake(std::uint32_t w, Cycle at, sim::StallReason reason) {
    WarpState& s = warps_[w];
    account(s, s.reason, now_);
    s.reason = reason;
    std::uint32_t const sub_core = sub_core_of_[w];
    SubCore& core = sub_cores_[sub_core];
    core.wake.set(seat(w), at, at == engine::never ? MicroUnit::alu : next_unit(s), now_);
    next_issue_[sub_core] = std::min(next_issue_[sub_core], std::max(at, now_));
    if (at == engine::never && reason == sim::StallReason::long_scoreboard) core.scheduler->waits(w);
}

/// The first micro-op of the warp's next instruction is to issue, in cycle `earliest` if nothing else is in the way.
[[gnu::always_inline]] inline void Sm::await_first_micro(std::uint32_t w, Cycle earliest,
                                                         sim::StallReason reason) {
    WarpState& s = warps_[w];
    TimedInstruction const& main = *s.timed;
    s.earliest = earliest;
    Wait wait{earliest, reason};
    std::uint64_t const line = instructions_.line_of(main.code_address, s.grid->code_begin);
    if (line != s.line) s.line_ready = fetch(w, line);
    if (s.line_ready > wait.until) wait = {s.line_ready, sim::StallReason::no_instruction};
    if (s.next_access > wait.until && accesses_memory(s)) wait = {s.next_access, sim::StallReason::wait};
    if (Cycle const here = buffered(s); here > wait.until) wait = {here, sim::StallReason::no_instruction};
    wait = operands_ready(w, wait);
    if (wait.until != engine::never) sim::Interpreter::prefetch_next(*s.warp);
    set_wake(w, wait.until, wait.reason);
}

/// The warp goes on to the instruction of the op `next`, which is in the function that it executes.
[[gnu::always_inline]] inline void Sm::go_on(std::uint32_t w, Cycle now, sim::Op const& next) {
    WarpState& s = warps_[w];
    s.instruction = next.instruction;
    find_bundle(s);
    if (s.timed->micros == 0 || s.timed->waits_for_more) return advance(w, now, now + 1, sim::StallReason::wait);
    await_first_micro(w, now + 1, sim::StallReason::wait);
}

}  // namespace warpsim::timing
