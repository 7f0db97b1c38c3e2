// The next instruction of a warp, and when it can issue: operands, instruction fetch, the end of a barrier.
#include "sim/timing/sm/wake_up.hpp"

#include <algorithm>

namespace warpsim::timing {

using engine::never;
using sim::StallReason;

/// Results signalled by the scoreboard, and data from memory, have variable latency; everything else takes a known
/// number of cycles. What an operand adds to that depends on its role, on what made it, and on the unit that reads it.
void Sm::set_ways(sim::DependenceConfig const& d) {
    for (std::size_t maker = 0; maker < micro_units; ++maker) {
        auto const unit = static_cast<MicroUnit>(maker);
        waits_for_[maker] = unit == MicroUnit::constant ? StallReason::imc_miss
                            : scoreboarded_[maker]      ? StallReason::short_scoreboard
                                                        : StallReason::wait;
        for (OperandWays& ways : ways_) {
            auto const of = [&](Role role) -> Cycle& { return ways[static_cast<std::size_t>(role)][maker]; };
            of(Role::guard) =
                d.predicate_to_guard_cycles - std::min<Cycle>(d.predicate_to_guard_cycles, latency(unit));
            of(Role::address) = unit == MicroUnit::constant ? 0 : d.address_cycles;
        }
    }
    auto const cross = [&](std::size_t reader, MicroUnit by) {
        ways_[reader][static_cast<std::size_t>(Role::value)][static_cast<std::size_t>(by)] = d.cross_unit_cycles;
    };
    cross(0, MicroUnit::fma);
    cross(1, MicroUnit::alu);
    waits_for_[made_by_memory] = StallReason::long_scoreboard;
    waits_for_[made_by_shared] = StallReason::short_scoreboard;
    // Where counters are shared, an instruction may wait for results that are none of its operands.
    longest_way_ = counters_.are_shared()
                       ? never
                       : std::max({d.predicate_to_guard_cycles, d.address_cycles, d.cross_unit_cycles});
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
        carry_out_from(w, s.instruction, now, next);
        next = nullptr;
    }
    update_wake(w, earliest, reason);
}

/// What an instruction waits for beside its operands.
Sm::Wait Sm::more_ready(std::uint32_t w, Wait wait) {
    WarpState const& s = warps_[w];
    if (s.timed->kind == TimedKind::await_products) return products_ended(w, wait);
    bool const leaves = s.timed->kind == TimedKind::call;
    return leaves && s.pending != 0 ? Wait{never, StallReason::long_scoreboard} : wait;
}

void Sm::update_wake(std::uint32_t w, Cycle earliest, StallReason reason) {
    WarpState& s = warps_[w];
    if (s.timed->releases && s.micro == 0 && !s.has_released) {
        if (!releases(w, s.timed->fence_scope, earliest)) return;
        reason = StallReason::membar;
    }
    if (s.micro == 0) return await_first_micro(w, earliest, reason);
    s.earliest = earliest;
    set_wake(w, earliest, reason);
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
    if (arrivals_.size() > 1) {  // of several loads of one line: only the first was fetched ahead
        for (DataPath::Arrival const& arrival : arrivals_) sim::prefetch(&pending_[arrival.owner]);
        for (DataPath::Arrival const& arrival : arrivals_) sim::prefetch(&warps_[pending_[arrival.owner].warp]);
    }
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
