// A cycle of a sub-core: which warps could issue, which one does, and what it then has to wait for.
#include "sim/timing/sm/wake_up.hpp"

#include "sim/exec/lane_count.hpp"
#include "sim/timing/plan/routines.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::timing {

using engine::never;
using sim::StallReason;

void Sm::push(std::uint32_t sub_core, MemoryOperation const& operation, Cycle now) {
    data_path_.push(sub_core, now, operation);
    if (!data_path_.accepts(sub_core)) fill(sub_core, MicroUnit::lsu, now + 1);
    if (data_path_.accepts_texture()) return;
    for (std::uint32_t other = 0; other < sub_core_count_; ++other)
        fill(other, MicroUnit::texture, other > sub_core ? now : now + 1);
}

void Sm::fill(std::uint32_t sub_core, MicroUnit unit, Cycle from) {
    sub_cores_[sub_core].units[static_cast<std::size_t>(unit)].fill(from);
    full_ |= std::uint64_t{1} << sub_core;
}

/// A bank supplies a limited number of registers per cycle. An instruction of fixed latency has a few cycles to
/// read all that it names; if that is not enough, it stays where it is, and so does the next one for the
/// sub-core's units (HUE).
inline void Sm::read_registers(SubCore& core, std::uint32_t sub_core, std::span<std::uint8_t const> reads,
                               Cycle now) {
    Cycle* const of_banks = bank_turns_.data() + sub_core * reads.size();
    Cycle last = 0;
    Cycle const first = now * ports_per_bank_;
    auto const read = [&](std::size_t b) {
        if (reads[b] == 0) return;
        Cycle& turns = of_banks[b];  // of ports, since the beginning
        turns = std::max(turns, first) + reads[b];
        last = std::max(last, turns);
    };
    if (reads.size() == 2) {  // on all GPUs since Volta
        read(0);
        read(1);
    } else {
        for (std::size_t b = 0; b < reads.size(); ++b) read(b);
    }
    if (last <= first + read_window_turns_) return;
    Cycle const next = (last - read_window_turns_ + ports_per_bank_ - 1) / ports_per_bank_ + 1;
    for (std::size_t unit = 0; unit <= static_cast<std::size_t>(MicroUnit::fp64); ++unit)
        core.units[unit].delay(now, next);
}

/// The name that profilers give to the wait for a busy unit, or for room in the queue in front of it.
StallReason Sm::throttle(MicroUnit unit, TimedInstruction const& timed) const {
    switch (unit) {
        case MicroUnit::lsu: return timed.is_shared_memory ? StallReason::mio_throttle : StallReason::lg_throttle;
        case MicroUnit::sfu:
        case MicroUnit::shuffle:
        case MicroUnit::special: return StallReason::mio_throttle;
        case MicroUnit::texture: return StallReason::tex_throttle;
        default: return is_per_sm(unit) ? StallReason::tex_throttle : StallReason::math_pipe_throttle;
    }
}

/// A warp whose cycle has come issues: what it has waited for since then.
[[gnu::always_inline]] inline void Sm::account_wait(SubCore& core, std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    std::uint32_t const seat = this->seat(w);
    account(s, s.reason, core.wake.at(seat));
    if (s.since >= now) return;
    MicroUnit const unit = core.wake.unit(seat);
    UnitTimes::Refused const until = core.units[static_cast<std::size_t>(unit)].refused(now),
                             before = core.refused[seat];
    account(s, throttle(unit, *s.timed), s.since + (until.busy - before.busy));
    account(s, StallReason::dispatch_stall, s.since + (until.delayed - before.delayed));
    account(s, StallReason::not_selected, now);
}

/// The slots in the SM of warps of a sub-core.
[[gnu::always_inline]] inline WarpMask Sm::slots_of(WakeTimes::Mask seats, std::uint32_t sub_core) const {
    WarpMask slots = 0;
    if ((seats & (seats - 1)) == 0) {
        if (seats != 0) slots = WarpMask{1} << WakeTimes::seat_of(seats) * sub_core_count_;
    } else if (sub_core_count_ == 4) {
        // Bit i to bit 4 * i, by halves.
        slots = seats;
        slots = (slots | slots << 24) & 0x000000ff000000ff;
        slots = (slots | slots << 12) & 0x000f000f000f000f;
        slots = (slots | slots << 6) & 0x0303030303030303;
        slots = (slots | slots << 3) & 0x1111111111111111;
    } else {
        for (WakeTimes::Mask m = seats; m != 0; m &= static_cast<WakeTimes::Mask>(m - 1))
            slots |= WarpMask{1} << WakeTimes::seat_of(m) * sub_core_count_;
    }
    return slots << sub_core;
}

[[gnu::noinline]] void Sm::issue(SubCore& core, std::uint32_t sub_core, std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    account_wait(core, w, now);
    s.since = now + 1;
    FunctionTiming const& f = *s.code;
    TimedInstruction const& timed = *s.timed;
    MicroOp const& micro = f.micros[timed.first_micro + s.micro];
    auto const unit = static_cast<std::size_t>(micro.unit);
    Cycle const busy = now + std::max<Cycle>(intervals_[unit], micro.interval);
    if (timed.kind == TimedKind::product && micro.unit == MicroUnit::tensor) begin_product(w, micro, now);
    else occupy(sub_core, micro.unit, now, busy);
    if (reads_at_once(micro.unit)) read_registers(core, sub_core, f.bank_reads[timed.first_micro + s.micro], now);
    if (micro.unit == MicroUnit::lsu) s.next_access = now + access_interval_;
    if (buffer_limits_) s.issued = {now, s.issued[0]};
    SmStatistics& statistics = s.grid->statistics;
    ++statistics.micro_ops;
    ++statistics.by_unit[unit];
    statistics.unit_cycles[unit] += busy - now;
    s.last = {s.function, s.main};
    s.grid->sinks.tell<sim::MicroOpEvent>([&] {
        return sim::MicroOpEvent{cta_slots_[s.place].cta(), *s.warp, s.last, now};
    });
    sim::Op const* after = nullptr;
    if (s.micro == 0 && !carry_out(w, now, after)) return suspend(w);
    statistics.thread_micro_ops += s.lanes;
    s.chain_ready = now + latency(micro);
    if (++s.micro < s.micros) return await_next_micro(w, now);
    bool const goes_on = after != nullptr && timed.kind == TimedKind::plain && !counters_.are_shared() &&
                         s.constant_cycles == 0 && !s.needs_round_trip;
    if (!goes_on) return finish_instruction(w, micro, now, after);
    set_results(w, timed, s.chain_ready, static_cast<std::uint8_t>(unit));
    go_on(w, now, *after);
}

/// The instruction has further micro-ops.
void Sm::await_next_micro(std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    TimedInstruction const& timed = *s.timed;
    if (s.micro == timed.round_end && s.rounds != 0) retry(s, timed);
    if (s.micro == timed.micros) {
        s.lanes = s.rare_lanes;
        if (s.skips_special) s.micro += timed.special_micros;
    }
    MicroOp const& next = s.code->micros[timed.first_micro + s.micro];
    Cycle const at = next.chained ? std::max(now + 1, s.chain_ready) : now + 1;
    Cycle const here = buffered(s);
    if (here > at) set_wake(w, here, StallReason::no_instruction);
    else set_wake(w, at, StallReason::wait);
}

/// From cycle `ready` on others can use them.
[[gnu::always_inline]] inline void Sm::set_results(std::uint32_t w, TimedInstruction const& timed, Cycle ready,
                                                   std::uint8_t maker) {
    BoardSlot const* const results = warps_[w].code->results.data() + timed.first_result;
    for (std::uint32_t r = 0; r < timed.results; ++r) {
        board(w)[results[r]] = ready;
        makers(w)[results[r]] = maker;
    }
}

/// One cycle of a sub-core: finds the warps that could issue and lets the scheduler choose one.
void Sm::issue_slot(std::uint32_t sub_core, Cycle now) {
    SubCore& core = sub_cores_[sub_core];
    WakeTimes::Mask const came = core.wake.pass(now);
    Cycle next = core.wake.next(now);
    WakeTimes::Mask waiting = 0;
    for (std::uint32_t units = core.wake.units(); units != 0; units &= units - 1) {
        auto const unit = static_cast<std::size_t>(std::countr_zero(units));
        UnitTimes const& times = core.units[unit];
        if (times.takes(now)) waiting |= core.wake.waiting(static_cast<MicroUnit>(unit));
        else if (!times.is_full()) next = std::min(next, times.free());
    }
    next_issue_[sub_core] = next;
    WarpMask eligible = slots_of(waiting, sub_core);
    WarpMask candidates = eligible;
    for (std::uint32_t n = 1; candidates != 0; ++n) {
        unsigned const w = core.scheduler->pick(candidates);
        eligible &= ~(WarpMask{1} << w);
        issue(core, sub_core, w, now);
        if (n == issues_per_cycle_) break;
        // Each unit accepts one.
        candidates = 0;
        for (WarpMask m = eligible; m != 0; m &= m - 1) {
            auto const other = static_cast<std::uint32_t>(std::countr_zero(m));
            if (core.units[static_cast<std::size_t>(core.wake.unit(seat(other)))].takes(now))
                candidates |= WarpMask{1} << other;
        }
    }
    if (eligible != 0) next_issue_[sub_core] = std::min(next_issue_[sub_core], now + 1);
    note_refused(core, came, now);
}

/// For those that wait in front of their unit since this cycle. What has issued in it changes nothing of what was refused before.
inline void Sm::note_refused(SubCore& core, WakeTimes::Mask came, Cycle now) {
    for (WakeTimes::Mask m = came; m != 0; m &= static_cast<WakeTimes::Mask>(m - 1)) {
        std::uint32_t const seat = WakeTimes::seat_of(m);
        if (!core.wake.has_come(seat)) continue;
        core.refused[seat] = core.units[static_cast<std::size_t>(core.wake.unit(seat))].refused(now);
    }
}

/// The instruction and those that are executed with it. Of most of them the recorder hears nothing, and their micro-ops are known.
[[gnu::always_inline]] inline bool Sm::carry_out(std::uint32_t w, Cycle now, sim::Op const*& next) {
    WarpState& s = warps_[w];
    ResidentGrid& grid = *s.grid;
    sim::Interpreter::Stepped stepped;
    for (std::uint32_t i = s.instruction;; ++i) {
        bool const is_usual =
            s.code->instructions[i].is_usual && grid.interpreter.step_lanes(*s.warp, stepped, next);
        if (!is_usual) return carry_out_from(w, i, now, next);
        account_executed(w, i, stepped, now);
        if (i == s.main) break;
    }
    s.lanes = sim::count_lanes(stepped.active);
    s.micros = s.timed->micros;
    s.is_under_way = s.needs_round_trip = false;
    s.constant_cycles = 0;
    return true;
}

/// One of them, of which those without cost have their results at once.
[[gnu::always_inline]] inline void Sm::account_executed(std::uint32_t w, std::uint32_t i,
                                                        sim::Interpreter::Stepped stepped, Cycle now) {
    WarpState& s = warps_[w];
    TimedInstruction const& timed = s.code->instructions[i];
    ++s.grid->statistics.instructions;
    if (timed.micros != 0) return;
    if (timed.branch != 0) s.grid->branches[timed.branch - 1u].add(stepped.active, stepped.mask);
    set_results(w, timed, now, static_cast<std::uint8_t>(MicroUnit::alu));
}

/// The instructions from `i` on, whatever they are.
bool Sm::carry_out_from(std::uint32_t w, std::uint32_t i, Cycle now, sim::Op const*& next) {
    WarpState& s = warps_[w];
    sim::Cta& cta = cta_slots_[s.place].cta();
    ResidentGrid& grid = *s.grid;
    Recorder& recorder = grid.recorder;
    FunctionTiming const& f = *s.code;
    acting_ = &grid;
    recorder.begin(w, s.timed->merged_bytes);
    sim::Interpreter::Stepped stepped;
    RareLanes rare;  // before a result can take the place of an operand
    for (; i <= s.main; ++i) {
        TimedInstruction const& timed = f.instructions[i];
        if (i == s.main && timed.kind == TimedKind::barrier) {
            sim::FunctionPlan const& function = sim::Interpreter::next_function(*s.warp);
            s.arrives = function.details_of<sim::Barrier>(sim::Interpreter::next_op(*s.warp)).kind ==
                        sim::Barrier::Kind::arrive;
        }
        if (i == s.main && timed.kind == TimedKind::beside) {
            s.instruction = i;
            if (!s.timed_out && grid.interpreter.asynchronous().waits_for_mbarrier(cta, *s.warp)) return false;
            if (waits_for_room(s)) return false;
            s.timed_out = false;
            sim::Op const& op = sim::Interpreter::next_op(*s.warp);
            s.beside = op.effect;
            s.asynchronous = sim::AsyncOperations::find(sim::Interpreter::next_function(*s.warp), op);
        }
        if (timed.routine != 0)
            rare = routine(timed.routine)
                       .lanes(sim::Interpreter::next_bases(*s.warp), sim::Interpreter::next_op(*s.warp).operands);
        recorder.set_read(!timed.is_unread);
        stepped = grid.interpreter.step(cta, *s.warp, f.is_on_path(i), next);
        account_executed(w, i, stepped, now);
    }
    s.lanes = sim::count_lanes(stepped.active);
    TimedInstruction const& main = *s.timed;
    s.micros = main.few_micros != 0 && s.lanes < main.gathered_from ? main.few_micros : main.micros;
    if ((rare.all() & stepped.mask) != 0) call_routine(s, rare, stepped.mask);
    bool const at_mbarriers = main.kind == TimedKind::beside && s.asynchronous != nullptr &&
                              s.asynchronous->kind < sim::Asynchronous::Kind::pending_count;
    // All lanes may look at a barrier at once; each that changes one comes by itself.
    bool const only_looks = at_mbarriers && s.asynchronous->kind >= sim::Asynchronous::Kind::test;
    if (at_mbarriers) recorder.visit_banks(only_looks ? 1 : std::max(s.lanes, 1u));
    // Other warps use the recorder before the last micro-op of this one issues.
    bool const has_operations = main.kind == TimedKind::memory || main.kind == TimedKind::copy || at_mbarriers;
    s.is_under_way = has_operations && recorder.operations() != 0;
    if (s.is_under_way) start_operations(w, main, now);
    if (main.kind == TimedKind::constant) load_constant(s, now);
    else s.constant_cycles = recorder.reads_constants() ? static_cast<std::uint32_t>(wait_for_constant(s)) : 0;
    s.needs_round_trip = recorder.goes_beyond() && recorder.holds();
    if (recorder.goes_beyond()) begin_copies(w, now);
    if (main.kind == TimedKind::beside && s.beside == isa::Effect::change_registers)
        check_suspended(cta_slots_[s.place], now);
    return true;
}

/// Simplified: where lanes of both kinds call the routine, what comes before they part is issued twice; its code is at hand.
void Sm::call_routine(WarpState& s, RareLanes rare, sim::LaneMask mask) {
    TimedInstruction const& main = *s.timed;
    s.rare_lanes = sim::count_lanes(rare.all() & mask);
    s.skips_special = (rare.special & mask) == 0;
    s.micros = main.micros + main.special_micros;
    if ((rare.scaled & mask) != 0) s.micros += main.scaled_micros;
}

/// In each round one lane of each place has stored.
void Sm::retry(WarpState& s, TimedInstruction const& timed) {
    s.lanes -= s.lanes / (s.rounds + 1);
    --s.rounds;
    s.micro = timed.round_begin;
}

/// Where counters of dependences are shared: the one that says when its results are there.
std::uint32_t Sm::take_counter(std::uint32_t w, TimedInstruction const& timed) {
    if (!counters_.are_shared() || timed.results == 0) return 0;
    std::uint32_t const counter = counters_.take(w);
    counters_.begin(w, counter);
    for (std::uint32_t r = 0; r < timed.results; ++r)
        counter_of_[w * board_stride_ + warps_[w].code->results[timed.first_result + r]] =
            static_cast<std::uint8_t>(counter);
    return counter;
}

void Sm::start_operations(std::uint32_t w, TimedInstruction const& timed, Cycle now) {
    WarpState& s = warps_[w];
    FunctionTiming const& f = *s.code;
    Recorder& recorder = s.grid->recorder;
    auto const count = static_cast<std::uint32_t>(recorder.operations());
    if (count == 0) return;
    std::uint32_t load = UINT32_MAX;
    if (timed.kind == TimedKind::copy) {
        std::uint32_t const copy = add_copy(w, false, true);
        load = data_path_.begin_load(add_pending({w, s.generation, nullptr, 0, copy, false}), count);
    } else if (timed.results != 0) {
        std::uint32_t const counter = take_counter(w, timed);
        std::uint32_t const p = add_pending(
            {w, s.generation, f.results.data() + timed.first_result, timed.results, UINT32_MAX, false, counter});
        load = data_path_.begin_load(p, count);
        ++s.pending;
        std::uint8_t const maker =
            recorder.operation(0).kind == OperationKind::shared ? made_by_shared : made_by_memory;
        set_results(w, timed, never, maker);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        MemoryOperation& o = recorder.operation(i);
        o.load = load;
        o.grid = s.grid->number;
        o.warp = static_cast<std::uint8_t>(w);
        o.instruction = f.code_base + timed.code_address;
        bool const is_gathered = timed.gathered_from != 0 && s.lanes >= timed.gathered_from;
        if (is_gathered) {
            o.turns = 1;
            o.passes = 1;
        }
        if (timed.free_passes != 0) s.rounds = o.passes - std::min<std::uint32_t>(o.passes, timed.free_passes);
        if (timed.passes_l1 && o.kind == OperationKind::load) o.kind = OperationKind::load_through;
        push(sub_core_of_[w], o, now);
    }
}

/// Lanes that read different words take turns, and so do the loads of all warps.
void Sm::load_constant(WarpState& s, Cycle now) {
    ResidentGrid& grid = *s.grid;
    std::uint64_t const misses = constants_.l1_misses();
    Cycle const latency = constants_.load(grid.recorder.constant_address(), grid.number);
    s.constant_missed = constants_.l1_misses() != misses;
    ++grid.statistics.constant_loads;
    grid.statistics.constant_misses += s.constant_missed ? 1u : 0u;
    Cycle const begin = std::max(now, constants_free_), word = config_.sm.constant->word_cycles;
    Cycle const others = Cycle{std::max(grid.recorder.constants(), 1u) - 1} * word;
    constants_free_ = begin + others + word;
    s.constant_cycles = static_cast<std::uint32_t>(begin - now + latency + others);
}

/// An operand that is not in the first cache keeps the warp. Simplified: of several of one instruction only the last is looked
/// for, and the instruction itself has left.
Cycle Sm::wait_for_constant(WarpState& s) {
    Cycle const latency = constants_.load(s.grid->recorder.constant_address(), s.grid->number);
    return latency - std::min<Cycle>(latency, config_.sm.constant->l1_latency_cycles);
}

void Sm::finish_instruction(std::uint32_t w, MicroOp const& last, Cycle now, sim::Op const* next) {
    WarpState& s = warps_[w];
    TimedInstruction const& timed = *s.timed;
    if (!s.is_under_way) {
        Cycle const ready = now + s.constant_cycles + (timed.kind == TimedKind::constant ? 0 : latency(last));
        if (counters_.are_shared() && timed.results != 0 && is_signalled(static_cast<std::uint8_t>(last.unit)))
            counters_.end(w, take_counter(w, timed), ready);
        bool const is_hit = timed.kind == TimedKind::constant && !s.constant_missed;
        set_results(w, timed, ready, is_hit ? made_by_shared : static_cast<std::uint8_t>(last.unit));
    }
    if (s.needs_round_trip) return await_round_trip(w);
    switch (timed.kind) {
        case TimedKind::plain:
        case TimedKind::memory:
        case TimedKind::product:
        case TimedKind::copy:
            if (next != nullptr && s.constant_cycles == 0) return go_on(w, now, *next);
            return advance(w, now, now + 1 + s.constant_cycles,
                           s.constant_cycles != 0 ? StallReason::imc_miss : StallReason::wait, next);
        case TimedKind::constant: return advance(w, now, now + 1, StallReason::wait, next);
        case TimedKind::branch:
            s.fall_through = s.main + 1;
            return advance(w, now, now + 1, StallReason::wait, next);
        default: return finish_special(w, now);
    }
}

/// Its result is known at the end of the epoch, and arrives like that of an atomic.
void Sm::await_round_trip(std::uint32_t w) {
    Cycle const trip = config_.interconnect->request_latency_cycles + config_.interconnect->reply_latency_cycles +
                       config_.l2.slices->hit_latency_cycles;
    hold(w, StallReason::long_scoreboard);
    Event event;
    event.at = now_ + trip;
    event.index = w;
    event.generation = warps_[w].generation;
    add_event(std::move(event));
}

/// What comes behind an instruction that is more than its results.
void Sm::finish_special(std::uint32_t w, Cycle now) {
    WarpState& s = warps_[w];
    TimedInstruction const& timed = *s.timed;
    CtaSlot& place = cta_slots_[s.place];
    sim::SynchronisationConfig const& sync = *config_.sm.synchronisation;
    switch (timed.kind) {
        case TimedKind::beside:
            if (finish_beside(w, now)) advance(w, now, now + 1, StallReason::wait);
            return;
        case TimedKind::barrier: {
            place.barrier_free = std::max(place.barrier_free, now) + sync.barrier_cycles_per_warp;
            Cycle const earliest = s.arrives ? now + 1 : place.barrier_free + sync.barrier_latency_cycles;
            advance(w, now, earliest, StallReason::barrier);
            if (!s.blocked) wake_released(place, now);  // otherwise others are still to arrive
            return;
        }
        case TimedKind::exit:
        case TimedKind::call: {
            bool const all = s.warp->live() == 0;
            // The slots belong to another function's registers; nothing is pending.
            if (timed.kind == TimedKind::call && !all) std::fill_n(board(w), board_stride_, Cycle{0});
            advance(w, now, now + config_.sm.front_end->taken_branch_cycles, StallReason::branch_resolving);
            if (place.used) wake_released(place, now);  // a barrier may have waited for these threads
            return;
        }
        case TimedKind::commit_products: return commit_products(w, now);
        case TimedKind::commit_copies: commit_copies(w, false); return advance(w, now, now + 1, StallReason::wait);
        case TimedKind::await_copies:
            if (await_copies(w, {.left = timed.groups_left})) advance(w, now, now + 1, StallReason::wait);
            return;
        case TimedKind::warp_barrier:
            advance(w, now, now + sync.warp_barrier_latency_cycles, StallReason::barrier);
            return;
        case TimedKind::fence: return begin_fence(w, timed.fence_scope, now);
        case TimedKind::sleep:
            // PTX allows up to twice the requested time.
            advance(w, now, now + std::max(s.grid->recorder.sleep(), latency(MicroUnit::branch)),
                    StallReason::sleeping);
            return;
        default: advance(w, now, now + 1, StallReason::wait); return;
    }
}

}  // namespace warpsim::timing
