// CTAs that native code runs from the beginning of each warp to its end. Nothing is made of a warp that the code does not
// read: a warp is where it began, at a barrier with what is live there, or at its end. A CTA that ends so leaves its warps
// as they were at the start, for the next one. Where code leaves in the middle, the warps become what the interpreter would
// have made of them, and it goes on there.
#include "sim/exec/code_calls.hpp"
#include "sim/exec/code_runner.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <cstring>
#include <utility>

namespace warpsim::sim {

namespace {

/// The op ends all threads that come there.
bool ends_all(KernelPlan const& plan, Op const& op) {
    if (op.kind != OpKind::exit && op.kind != OpKind::ret) return false;
    if ((op.guard & 3) != static_cast<Slot>(isa::Base::plan)) return false;
    LaneMask guard = 0;
    std::memcpy(&guard, plan.constants.data() + (op.guard & ~3), sizeof guard);
    return guard == (op.guard_negated ? 0 : isa::all_lanes);
}

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
/// function.
[[gnu::flatten]] std::optional<Left> CodeRunner::run_whole(Cta& cta, CompiledKernel const& kernel,
                                                           std::uint64_t budget) {
    CompiledFunction const& compiled = kernel.functions.front();
    CompiledState& s = state_;
    prepare(cta, launch_.plan.functions.front(), compiled);
    auto const count = static_cast<std::uint32_t>(cta.warps.size());
    whole_.warps.resize(count);
    for (WholeWarp& warp : whole_.warps) {
        warp.place = WholeWarp::Place::at_start;
        warp.executed = 0;
    }
    whole_.waiting = whole_.ended = 0;
    s.whole = &whole_;
    s.active = 0;
    whole_.known.resize(count);
    // As at the start of a warp, and where all of its lanes are together.
    s.longest_slice = UINT64_MAX;
    s.has_barriers = 0;
    s.local_end = cta.warps.front().running_frame().local_end;
    s.param_end = cta.warps.front().running_frame().param_end;
    for (int round = 0;; ++round) {
        std::uint64_t const changes = s.changes + cta.changes;
        std::uint32_t const ended = whole_.ended;
        Left left;
        left.round = round;
        for (std::uint32_t w = 0; w < count; ++w) {
            WholeWarp const& warp = whole_.warps[w];
            if (warp.place == WholeWarp::Place::ended || warp.place == WholeWarp::Place::at_barrier) continue;
            std::uint64_t const before = warp.executed, end = before + budget;
            execution_.budget_end = execution_.slice_end = s.budget_end = s.slice_end = end;
            Turn const turn = take_turn(cta, w);
            if (turn == Turn::left) {
                left.before = before;
                left.changed = left.moved || s.changes + cta.changes != changes || whole_.ended != ended;
                left.warp = &cta.warps[w];
                left.flow = leave_whole(cta, w);
                return left;
            }
            left.moved = true;
            left.out_of_budget |= turn == Turn::waits && warp.executed >= end;
        }
        if (whole_.ended == count) break;
        if (!left.out_of_budget && round != most_rounds) continue;
        whole_.running = count;
        make_real();
        return left;
    }
    for (WholeWarp const& warp : whole_.warps) cta.executed += warp.executed;
    executed_ += cta.executed;
    count_ends();
    counters_.branch_total += s.branches;
    counters_.branch_divergent += s.divergent;
    return std::nullopt;
}

/// Until the warp waits or ends, or its code leaves. Most warps end at once.
inline CodeRunner::Turn CodeRunner::take_turn(Cta& cta, std::uint32_t which) {
    exit_ = go_on(cta, which);
    bool const is_at_end = exit_ == CompiledExit::at_op && state_.pc == end_;
    if (!is_at_end || state_.whole == nullptr || !is_together()) return go_on_turn(cta, which);
    end(which);
    return Turn::ended;
}

[[gnu::flatten]] CodeRunner::Turn CodeRunner::go_on_turn(Cta& cta, std::uint32_t which) {
    for (;; exit_ = go_on(cta, which)) {
        exit_ = run_from(exit_, which);
        if (state_.whole == nullptr) return Turn::left;
        if (exit_ == CompiledExit::barrier) {
            if (!wait(which)) return Turn::left;
            if (whole_.warps[which].place == WholeWarp::Place::at_barrier) return Turn::waits;
            continue;  // it was the last to come
        }
        if (exit_ != CompiledExit::at_op || !is_end(state_.pc) || !is_together()) return Turn::left;
        end(which);
        return Turn::ended;
    }
}

bool CodeRunner::is_end(std::uint32_t op) {
    if (op == end_) return true;
    if (!ends_all(launch_.plan, state_.function->ops[op])) return false;
    count_ends();
    end_ = op;
    return true;
}

void CodeRunner::count_ends() {
    auto const times = [&](std::uint64_t warps) {
        auto const count = static_cast<std::int64_t>(warps);
        return OpCounters::Delta{execution_by_.warp * count, execution_by_.thread * count};
    };
    if (begun_ != 0) state_.deltas[0] += times(begun_);
    if (ended_ != 0) state_.deltas[end_ + 1] -= times(ended_);
    begun_ = ended_ = 0;
}

/// Runs the warp's code from where it stands.
CompiledExit CodeRunner::go_on(Cta& cta, std::uint32_t which) {
    CompiledState& s = state_;
    Warp& warp = cta.warps[which];
    WholeWarp& kept = whole_.warps[which];
    whole_.running = which;
    s.whole_lanes = warp.exists;
    if (s.active != warp.exists) count_lanes_of(warp.exists);
    s.executed_here = s.own_changes = s.has_parted = 0;
    if (kept.place == WholeWarp::Place::behind_barrier) {
        s.warp = &warp;
        s.bases[0] = warp.bases[0];
        s.bases[3] = warp.bases[3];
        s.local = kept.local;
        s.executed = warp.executed = kept.executed;
        code_ = kept.code;
        return code_(s, kept.resume);
    }
    CompiledExit const exit = begin(warp, which);
    kept.code = code_;
    return exit;
}

/// The warp stands as at the start, but for what it left in its registers when it last ended.
CompiledExit CodeRunner::begin(Warp& warp, std::uint32_t which) {
    CompiledState& s = state_;
    s.warp = &warp;
    s.bases[0] = warp.bases[0];
    s.bases[3] = warp.bases[3];
    s.executed = 0;
    s.local = whole_.warps[which].local = warp.local.data();
    if (clears_ || warp.local_used != 0) clear_memory(warp, *s.function);
    ++begun_;
    s.pc = 0;
    CompiledRun& known = whole_.known[which];
    if (known != nullptr && (known == compiled_->all_lanes || known == compiled_->some_lanes)) {
        code_ = known;
        return code_(s, CompiledFunction::known_begin);
    }
    for (FunctionPlan::Bytes const& bytes : s.function->cleared)
        std::memset(s.bases[0] + bytes.begin, 0, bytes.size);
    code_ = nullptr;
    CompiledRun const code = compiled_->code_for(warp.exists);
    if (code == nullptr) return CompiledExit::at_op;
    CompiledExit const exit = enter(code, 0);
    if (exit != CompiledExit::mismatch) known = code_;
    return exit;
}

/// ... and then, where lanes of it part, of whichever are next, until all wait or end.
CompiledExit CodeRunner::run_from(CompiledExit exit, std::uint32_t which) {
    while (state_.whole != nullptr) {
        if (parts_at_branch(exit)) exit = part_at_branch();
        if (exit != CompiledExit::effect || !can_regroup()) break;
        exit = regroup(which);
    }
    return exit;
}

/// The warp comes to a barrier. False: that is another one than others wait in.
bool CodeRunner::wait(std::uint32_t which) {
    CompiledState const& s = state_;
    WholeWarp& kept = whole_.warps[which];
    kept.resume = s.resume;
    kept.pc = s.pc;
    if (whole_.waiting != 0 && s.barrier != whole_.barrier) return false;
    whole_.barrier = s.barrier;
    kept.executed = s.executed;
    kept.place = WholeWarp::Place::at_barrier;
    ++whole_.waiting;
    release();
    return true;
}

void CodeRunner::end(std::uint32_t which) {
    CompiledState& s = state_;
    WholeWarp& kept = whole_.warps[which];
    ++ended_;
    kept.executed = s.executed + instructions_of(*s.function, s.pc);
    kept.place = WholeWarp::Place::ended;
    ++whole_.ended;
    s.warp->executed = s.warp->own_changes = 0;
    s.warp->running().pc = 0;
    if (whole_.waiting != 0) release();
}

/// If all others have come or ended.
void CodeRunner::release() {
    if (whole_.waiting + whole_.ended != whole_.warps.size()) return;
    whole_.waiting = 0;
    for (WholeWarp& warp : whole_.warps) {
        if (warp.place != WholeWarp::Place::at_barrier) continue;
        warp.place = WholeWarp::Place::behind_barrier;
        ++warp.executed;
    }
}

/// Puts what was kept at a barrier into the columns of the frame.
void CodeRunner::spread(Warp& warp, WholeWarp const& kept) {
    CompiledState s = state_;
    s.bases[0] = warp.bases[0] = warp.running_frame().registers.get();
    s.bases[3] = warp.bases[3];
    s.active = warp.exists;
    kept.code(s, kept.resume + 1);
}

void CodeRunner::make_real() {
    CompiledState& s = state_;
    if (std::exchange(s.whole, nullptr) == nullptr) return;
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
        spread(warp, kept);
        warp.executed = kept.executed;
        std::uint32_t const pc = warp.running().pc = waits ? kept.pc : kept.pc + 1;
        s.deltas[pc] -= OpCounters::execution_by(warp.exists);
        if (waits) parts_.barriers.barrier(cta, warp, s.function->ops[pc], warp.exists);
    }
}

/// The code of the warp has left it where its interpreter goes on. Throws Fault.
Flow CodeRunner::leave_whole(Cta& cta, std::uint32_t which) {
    make_real();
    if (exit_ == CompiledExit::barrier) spread(cta.warps[which], whole_.warps[which]);
    return leave(exit_, execution_by_);
}

}  // namespace warpsim::sim
