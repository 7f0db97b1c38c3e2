// CTAs that native code runs from the beginning of each warp to its end. Nothing is made of a warp that the code does not
// read: a warp is where it began, at a barrier with what is live there, or at its end. A CTA that ends so leaves its warps
// as they were at the start, for the next one. Where code leaves in the middle, the warps become what the interpreter would
// have made of them, and it goes on there.
#include "sim/exec/code_calls.hpp"
#include "sim/exec/code_runner.hpp"
#include "sim/exec/warp_ends.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <cstring>
#include <utility>

namespace warpsim::sim {

namespace {

/// What a new activation of the kernel finds beside its registers.
void clear_memory(Warp& warp, FunctionPlan const& function) {
    std::size_t const bytes = function.frame_bytes - function.param_area;
    if (bytes != 0) std::memset(warp.bases[0] + function.param_area, 0, bytes);
    if (warp.local_used != 0) std::memset(warp.local.data(), 0, warp.local_used * isa::warp_size);
}

std::uint32_t instructions_of(FunctionPlan const& function, std::uint32_t op) {
    return function.instructions_before[op + 1] - function.instructions_before[op];
}

}  // namespace

bool CodeRunner::can_run_whole(CompiledKernel const& kernel) const {
    CompiledFunction const& compiled = kernel.functions.front();
    // Accesses are counted by the code itself.
    return sinks_.want_at_most(EventKind::access) && model_ == nullptr && launch_.sm_clocks == nullptr &&
           !launch_.late_copies && launch_.ctas_per_cluster() == 1 && compiled.has_entry(0) &&
           compiled.code_for(launch_.threads() < isa::warp_size ? 0 : isa::all_lanes) != nullptr;
}

/// Warps take turns as the interpreter gives them. Short ones take hardly longer than what is around them, so that is one
/// function, and code goes on with the next warp by itself where it can.
[[gnu::flatten]] std::optional<Left> CodeRunner::run_whole(Cta& cta, CompiledKernel const& kernel,
                                                           std::uint64_t budget, bool is_as_left) {
    CompiledState& s = state_;
    prepare(cta, launch_.plan.functions.front(), kernel.functions.front());
    begin_whole(cta, budget, is_as_left);
    auto const count = static_cast<std::uint32_t>(cta.warps.size());
    for (int round = 0;; ++round) {
        std::uint64_t const changes = s.changes + cta.changes;
        std::uint32_t const ended = whole_.ended;
        Left left;
        left.round = round;
        whole_.is_first_round = round == 0;
        s.last_to_run = nullptr;
        for (std::uint32_t w = 0; w < count; w = whole_.running + 1) {
            whole_.running = w;
            if (!can_run(running())) continue;
            Turn const turn = take_turn();
            left.moved |= whole_.running != w;
            if (turn == Turn::left) {
                left.before = s.budget_end - budget;
                left.changed = left.moved || s.changes + cta.changes != changes || whole_.ended != ended;
                left.warp = running().warp;
                left.flow = leave_whole();
                return left;
            }
            left.moved = true;
            left.out_of_budget |= turn == Turn::waits && running().executed >= s.budget_end;
        }
        if (whole_.ended == count) break;
        if (!left.out_of_budget && round != most_rounds) continue;
        whole_.running = count;
        s.running = nullptr;  // none of them
        make_real();
        return left;
    }
    for (WholeWarp const& warp : whole_.warps) cta.executed += warp.executed;
    executed_ += cta.executed;
    whole_.of = cta.warps.data();
    count_ends();
    counters_.branch_total += s.branches;
    counters_.branch_divergent += s.divergent;
    return std::nullopt;
}

/// Most CTAs of short kernels follow one that has left its warps as they were: these are not looked at.
void CodeRunner::begin_whole(Cta& cta, std::uint64_t budget, bool is_as_left) {
    CompiledState& s = state_;
    if (!is_as_left || whole_.of != cta.warps.data() || whole_.is_touched) keep_warps(cta);
    for (WholeWarp& kept : whole_.warps) {
        kept.executed = 0;
        kept.place = WholeWarp::Place::at_start;
        kept.resume = CompiledFunction::known_begin;
    }
    whole_.of = nullptr;
    whole_.is_touched = false;
    whole_.waiting = whole_.ended = 0;
    s.whole = &whole_;
    s.active = 0;
    s.turn_budget = budget;
    s.common_barrier = CompiledState::no_barrier;
    // As at the start of a warp, and where all of its lanes are together.
    s.longest_slice = UINT64_MAX;
    s.has_barriers = 0;
    s.local_end = cta.warps.front().running_frame().local_end;
    s.param_end = cta.warps.front().running_frame().param_end;
}

void CodeRunner::keep_warps(Cta& cta) {
    whole_.warps.resize(cta.warps.size());
    whole_.known.resize(cta.warps.size());
    for (std::uint32_t w = 0; w < cta.warps.size(); ++w) {
        Warp& warp = cta.warps[w];
        WholeWarp& kept = whole_.warps[w];
        kept.warp = &warp;
        kept.registers = warp.bases[0];
        kept.specials = warp.bases[3];
        kept.local = warp.local.data();
        kept.code = whole_.known[w];
        kept.is_clean = !clears_ && warp.local_used == 0;
    }
}

/// Until the warp waits or ends, or its code leaves; or one of those behind it does. Most warps end at once.
inline CodeRunner::Turn CodeRunner::take_turn() {
    std::uint64_t const end = running().executed + state_.turn_budget;
    execution_.budget_end = execution_.slice_end = state_.budget_end = state_.slice_end = end;
    exit_ = go_on();
    bool const is_at_end = exit_ == CompiledExit::at_op && state_.pc == state_.known_end;
    if (!is_at_end || state_.whole == nullptr || !is_together()) return go_on_turn();
    this->end();
    return Turn::ended;
}

[[gnu::flatten]] CodeRunner::Turn CodeRunner::go_on_turn() {
    for (;; exit_ = go_on()) {
        exit_ = run_from(exit_);
        if (state_.whole == nullptr) return Turn::left;
        if (exit_ == CompiledExit::barrier) {
            if (!wait()) return Turn::left;
            if (running().place == WholeWarp::Place::at_barrier) return Turn::waits;
            continue;  // it was the last to come
        }
        if (exit_ != CompiledExit::at_op || !is_end(state_.pc) || !is_together()) return Turn::left;
        end();
        return Turn::ended;
    }
}

bool CodeRunner::is_end(std::uint32_t op) {
    if (op == state_.known_end) return true;
    if (!ends_all(launch_.plan, state_.function->ops[op])) return false;
    count_ends();
    state_.known_end = op;
    return true;
}

void CodeRunner::count_ends() {
    auto const times = [&](std::uint64_t warps) {
        auto const count = static_cast<std::int64_t>(warps);
        return OpCounters::Delta{execution_by_.warp * count, execution_by_.thread * count};
    };
    if (begun_ != 0) state_.deltas[0] += times(begun_);
    if (ended_ != 0) state_.deltas[state_.known_end + 1] -= times(ended_);
    begun_ = ended_ = 0;
}

/// Runs the warp's code from where it stands.
CompiledExit CodeRunner::go_on() {
    CompiledState& s = state_;
    WholeWarp& kept = running();
    Warp& warp = *kept.warp;
    s.whole_lanes = warp.exists;
    if (s.active != warp.exists) count_lanes_of(warp.exists);
    s.executed_here = s.own_changes = s.has_parted = 0;
    s.warp = &warp;
    s.bases[0] = kept.registers;
    s.bases[3] = kept.specials;
    s.local = kept.local;
    s.executed = kept.executed;
    set_executed(kept);
    s.running = &kept;
    if (s.last_to_run < s.running) find_last_to_run();
    CompiledExit exit{};
    if (kept.place == WholeWarp::Place::behind_barrier) {
        code_ = kept.code;
        exit = code_(s, kept.resume);
    } else {
        exit = begin(kept);
    }
    pass_warps();
    return exit;
}

/// The warp stands as at the start, but for what it left in its registers when it last ended.
CompiledExit CodeRunner::begin(WholeWarp& kept) {
    CompiledState& s = state_;
    if (!kept.is_clean) clear_memory(*kept.warp, *s.function);
    ++begun_;
    s.pc = 0;
    CompiledRun& known = whole_.known[whole_.running];
    if (known != nullptr && (known == compiled_->all_lanes || known == compiled_->some_lanes)) {
        code_ = kept.code = known;
        return code_(s, CompiledFunction::known_begin);
    }
    for (FunctionPlan::Bytes const& bytes : s.function->cleared)
        std::memset(s.bases[0] + bytes.begin, 0, bytes.size);
    code_ = nullptr;
    CompiledRun const code = compiled_->code_for(kept.warp->exists);
    if (code == nullptr) return CompiledExit::at_op;
    kept.code = code;
    CompiledExit const exit = enter(code, 0);
    kept.code = code_;
    if (exit != CompiledExit::mismatch) known = code_;
    return exit;
}

/// Which warps code for all lanes may go on with: they stand where it knows what they have.
void CodeRunner::find_last_to_run() {
    std::uint32_t last = whole_.running;
    auto const goes_on = [&](WholeWarp const& kept) {
        bool const can_begin = kept.place != WholeWarp::Place::at_start || kept.is_clean;
        return can_run(kept) && can_begin && kept.code == compiled_->all_lanes;
    };
    while (last + 1 < whole_.warps.size() && goes_on(whole_.warps[last + 1])) ++last;
    state_.last_to_run = &whole_.warps[last];
}

void CodeRunner::note_passed() {
    CompiledState& s = state_;
    auto const now = static_cast<std::uint32_t>(s.running - whole_.warps.data());
    if (whole_.is_first_round) begun_ += now - whole_.running;
    for (; whole_.running != now; ++whole_.running) {
        WholeWarp const& passed = running();
        if (passed.place == WholeWarp::Place::ended) count_end(*passed.warp);
        else ++whole_.waiting;
    }
    set_executed(running());
    execution_.budget_end = s.budget_end;
    execution_.slice_end = s.slice_end;
}

/// Warp::executed is what there was before the turn.
inline void CodeRunner::set_executed(WholeWarp const& kept) {
    if (kept.executed == 0 && !whole_.is_touched) return;
    whole_.is_touched = true;
    kept.warp->executed = kept.executed;
}

/// ... and then, where lanes of it part, of whichever are next, until all wait or end.
CompiledExit CodeRunner::run_from(CompiledExit exit) {
    while (state_.whole != nullptr) {
        if (parts_at_branch(exit)) exit = part_at_branch();
        if (exit != CompiledExit::effect || !can_regroup()) break;
        exit = regroup();
    }
    return exit;
}

/// The warp comes to a barrier. False: that is another one than others wait in.
bool CodeRunner::wait() {
    CompiledState& s = state_;
    WholeWarp& kept = running();
    kept.resume = s.resume;
    kept.pc = s.pc;
    if (s.common_barrier != CompiledState::no_barrier && s.barrier != s.common_barrier) return false;
    s.common_barrier = s.barrier;
    kept.executed = s.executed;
    kept.place = WholeWarp::Place::at_barrier;
    ++whole_.waiting;
    release();
    return true;
}

void CodeRunner::end() {
    CompiledState& s = state_;
    WholeWarp& kept = running();
    kept.executed = s.executed + instructions_of(*s.function, s.pc);
    kept.place = WholeWarp::Place::ended;
    count_end(*kept.warp);
    if (whole_.waiting != 0) release();
}

/// The warp stands as it did at the start.
inline void CodeRunner::count_end(Warp& warp) {
    ++ended_;
    ++whole_.ended;
    if (!whole_.is_touched) return;
    warp.executed = warp.own_changes = 0;
    warp.running().pc = 0;
}

/// If all others have come or ended.
void CodeRunner::release() {
    if (whole_.waiting + whole_.ended != whole_.warps.size()) return;
    whole_.waiting = 0;
    state_.common_barrier = CompiledState::no_barrier;
    for (WholeWarp& warp : whole_.warps) {
        if (warp.place != WholeWarp::Place::at_barrier) continue;
        warp.place = WholeWarp::Place::behind_barrier;
        ++warp.executed;
    }
}

/// Puts what was kept at a barrier into the columns of the frame.
void CodeRunner::spread(WholeWarp const& kept) {
    CompiledState s = state_;
    Warp& warp = *kept.warp;
    s.bases[0] = warp.bases[0] = warp.running_frame().registers.get();
    s.bases[3] = warp.bases[3];
    s.active = warp.exists;
    kept.code(s, kept.resume + 1);
}

void CodeRunner::make_real() {
    CompiledState& s = state_;
    catch_up();
    if (std::exchange(s.whole, nullptr) == nullptr) return;
    s.running = s.last_to_run = nullptr;
    count_ends();
    Cta& cta = *s.cta;
    for (WholeWarp const& kept : whole_.warps) executed_ += kept.executed;
    for (std::uint32_t w = 0; w < whole_.warps.size(); ++w) {
        WholeWarp const& kept = whole_.warps[w];
        if (kept.place != WholeWarp::Place::ended) continue;
        Warp& warp = cta.warps[w];
        warp.executed = kept.executed;
        parts_.calls.leave(warp, warp.exists);
        warp.exited = warp.exists;
        ++cta.changes;
    }
    for (std::uint32_t w = 0; w < whole_.warps.size(); ++w) {
        WholeWarp const& kept = whole_.warps[w];
        bool const waits = kept.place == WholeWarp::Place::at_barrier;
        if (w == whole_.running || (!waits && kept.place != WholeWarp::Place::behind_barrier)) continue;
        Warp& warp = cta.warps[w];
        spread(kept);
        warp.executed = kept.executed;
        std::uint32_t const pc = warp.running().pc = waits ? kept.pc : kept.pc + 1;
        s.deltas[pc] -= OpCounters::execution_by(warp.exists);
        if (waits) parts_.barriers.barrier(cta, warp, s.function->ops[pc], warp.exists);
    }
}

/// The code of the warp has left it where its interpreter goes on. Throws Fault.
Flow CodeRunner::leave_whole() {
    make_real();
    if (exit_ == CompiledExit::barrier) spread(running());
    return leave(exit_, execution_by_);
}

}  // namespace warpsim::sim
