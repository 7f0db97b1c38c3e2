// The next instruction of a warp, and when it can issue: operands, instruction fetch, the end of a barrier.
#include "sim/timing/sm/sm.hpp"

#include <algorithm>

namespace warpsim::timing {

using engine::never;
using sim::StallReason;

/// Results signalled by the scoreboard, and data from memory, have variable latency; everything else takes a known
/// number of cycles.
StallReason Sm::waiting_for(std::uint8_t maker) const {
    if (maker == made_by_memory) return StallReason::long_scoreboard;
    if (maker == made_by_shared) return StallReason::short_scoreboard;
    if (static_cast<MicroUnit>(maker) == MicroUnit::constant) return StallReason::imc_miss;
    return scoreboarded_[maker] ? StallReason::short_scoreboard : StallReason::wait;
}

void Sm::find_bundle(WarpState& s) {
    s.main = s.code->instructions[s.instruction].main;
    s.timed = &s.code->instructions[s.main];
    s.micro = 0;
    s.has_released = false;
}

/// Finds the warp's next instruction and when it can issue; a warp that has ended leaves. Each instruction of a warp comes
/// through here, so what it calls is part of it. `next`: see Interpreter::step_lanes().
[[gnu::flatten]] void Sm::advance(std::uint32_t w, Cycle now, Cycle earliest, StallReason reason,
                                  sim::Op const* next) {
    WarpState& s = warps_[w];
    for (;;) {
        if (next == nullptr) {
            if (!s.grid->interpreter.settle(cta_slots_[s.place].cta(), *s.warp)) {
                if (s.warp->live() == 0) return leave(w, now);
                set_blocked(s, true);
                s.fall_through = UINT32_MAX;
                set_wake(w, never, StallReason::barrier);
                return;
            }
            set_blocked(s, false);
            s.function = sim::Interpreter::next_function(*s.warp).plan_index;
            s.code = &s.grid->plan.functions[s.function];
            next = &sim::Interpreter::next_op(*s.warp);
        }
        s.instruction = next->instruction;
        if (s.fall_through != UINT32_MAX) {
            bool const is_taken = s.instruction != s.fall_through;
            sim::FrontEndConfig const& front_end = *config_.sm.front_end;
            Cycle const resolved =
                now + std::max(is_taken ? front_end.taken_branch_cycles : front_end.branch_cycles, 1u);
            if (is_taken || resolved > earliest) {
                earliest = resolved;
                reason = StallReason::branch_resolving;
            }
            s.fall_through = UINT32_MAX;
        }
        find_bundle(s);
        if (s.timed->micros != 0) break;
        // Only instructions without cost are left in the block, but their operands must be ready.
        if (operands_ready(w, {earliest, reason}).until == never) break;
        next = nullptr;
        carry_out_from(w, s.instruction, now);
    }
    update_wake(w, earliest, reason);
}

Sm::Wait Sm::operands_ready(std::uint32_t w, Wait wait) {
    WarpState const& s = warps_[w];
    FunctionTiming const& f = *s.code;
    TimedInstruction const& main = *s.timed;
    Cycle const* const ready = board(w);
    // What was there by then cannot make the warp wait any longer, however it is used. Where counters are shared, others may.
    auto const settled_by = [&](Cycle until) {
        return counters_.are_shared() ? Cycle{0} : until - std::min(until, longest_way_);
    };
    Cycle settled = settled_by(wait.until);
    BoardOperand const* const end = f.operands.data() + main.operands_end;
    for (BoardOperand const* o = f.operands.data() + f.instructions[s.instruction].first_operand; o != end; ++o) {
        if (ready[o->slot] <= settled) continue;
        Wait const here = operand_ready(w, *o, main.unit);
        if (here.until <= wait.until) continue;
        wait = here;
        settled = settled_by(here.until);
    }
    if (main.kind == TimedKind::await_products) wait = products_ended(w, wait);
    bool const leaves = main.kind == TimedKind::call;
    if (leaves && s.pending != 0) wait = {never, StallReason::long_scoreboard};
    return wait;
}

/// When an operand lets `unit` take the instruction.
Sm::Wait Sm::operand_ready(std::uint32_t w, BoardOperand operand, MicroUnit unit) {
    Cycle at = board(w)[operand.slot];
    std::uint8_t const maker = makers(w)[operand.slot];
    if (operand.role == Role::result) return {at == never ? never : 0, waiting_for(maker)};
    if (counters_.are_shared() && is_signalled(maker))
        at = std::max(at, counters_.ready(w, counter_of_[w * board_stride_ + operand.slot]));
    if (at != never && maker < made_by_memory) {
        sim::DependenceConfig const& d = *config_.sm.dependences;
        auto const by = static_cast<MicroUnit>(maker);
        Cycle const own = latency(by);
        if (operand.role == Role::guard)
            at += d.predicate_to_guard_cycles > own ? d.predicate_to_guard_cycles - own : 0;
        else if (operand.role == Role::address) at += by == MicroUnit::constant ? 0 : d.address_cycles;
        else if ((by == MicroUnit::alu && unit == MicroUnit::fma) ||
                 (by == MicroUnit::fma && unit == MicroUnit::alu))
            at += d.cross_unit_cycles;
    }
    return {at, waiting_for(maker)};
}

[[gnu::flatten]] void Sm::update_wake(std::uint32_t w, Cycle earliest, StallReason reason) {
    WarpState& s = warps_[w];
    TimedInstruction const& main = *s.timed;
    if (main.releases && s.micro == 0 && !s.has_released) {
        if (!releases(w, main.fence_scope, earliest)) return;
        reason = StallReason::membar;
    }
    s.earliest = earliest;
    Wait wait{earliest, reason};
    if (s.micro == 0) {
        std::uint64_t const line = instructions_.line_of(main.code_address, s.grid->code_begin);
        if (line != s.line) s.line_ready = fetch(w, line);
        if (s.line_ready > wait.until) wait = {s.line_ready, StallReason::no_instruction};
        if (s.next_access > wait.until && accesses_memory(s)) wait = {s.next_access, StallReason::wait};
        if (Cycle const here = buffered(s); here > wait.until) wait = {here, StallReason::no_instruction};
        wait = operands_ready(w, wait);
        if (wait.until != never) sim::Interpreter::prefetch_next(*s.warp);
    }
    set_wake(w, wait.until, wait.reason);
}

void Sm::set_wake(std::uint32_t w, Cycle at, StallReason reason) {
    WarpState& s = warps_[w];
    account(s, s.reason, now_);
    s.reason = reason;
    SubCore& core = this->core(w);
    core.wake.set(seat(w), at, at == never ? MicroUnit::alu : next_unit(s), now_);
    Cycle& next = next_issue_[sub_core_of_[w]];
    next = std::min(next, std::max(at, now_));
    if (at == never && reason == StallReason::long_scoreboard) core.scheduler->waits(w);
}

void Sm::wake_released(CtaSlot& place, Cycle now) {
    if (place.blocked == 0) return;  // the states of its warps lie all over
    for (std::size_t i = 0; i < place.warps.size(); ++i) {
        std::uint32_t const w = place.warps[i];
        WarpState& s = warps_[w];
        if (!s.blocked || s.warp == nullptr || &cta_slots_[s.place] != &place) continue;
        if (!s.grid->interpreter.settle(place.cta(), *s.warp)) {
            if (s.warp->live() == 0) leave(w, now);
            continue;
        }
        Cycle const earliest = s.in_cluster_barrier
                                   ? std::max(now, place.cluster_release)
                                   : place.barrier_free + config_.sm.synchronisation->barrier_latency_cycles;
        s.in_cluster_barrier = false;
        advance(w, now, earliest, StallReason::barrier);
    }
}

void Sm::take_arrivals() {
    for (std::size_t i = 0; i < arrivals_.size(); ++i) {
        auto const [owner, ready] = arrivals_[i];
        Pending const p = pending_[owner];
        free_pending_.push_back(owner);
        if (p.copy != UINT32_MAX) {
            Event event;
            event.at = std::max(ready, now_ + 1) + (copies_[p.copy].few ? config_.sm.copy_engine.store_cycles : 0);
            event.kind = p.of_reads ? Event::Kind::source_read : Event::Kind::copied;
            event.index = p.copy;
            add_event(std::move(event));
            continue;
        }
        WarpState& s = warps_[p.warp];
        if (s.generation != p.generation) continue;  // no warp waits for it any more
        --s.pending;
        for (std::uint32_t r = 0; r < p.count; ++r) board(p.warp)[p.results[r]] = ready;
        if (counters_.are_shared()) counters_.end(p.warp, p.counter, ready);
        if (wake(p.warp) != never || s.blocked || s.held || s.micro != 0) continue;
        bool const is_free = s.timed->micros == 0;
        Cycle const earliest = std::max(now_, s.earliest);
        account(s, s.reason, now_);
        if (is_free) advance(p.warp, now_, earliest, s.reason);
        else update_wake(p.warp, earliest, s.reason);
    }
    arrivals_.clear();
}

}  // namespace warpsim::timing
