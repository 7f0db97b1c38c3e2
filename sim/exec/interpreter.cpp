// The loop that executes warps, and the turns that warps of a CTA take.
#include "sim/exec/interpreter.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

namespace warpsim::sim {

AlignedBytes aligned_bytes(std::size_t bytes) {
    return AlignedBytes(
        static_cast<std::byte*>(::operator new[](std::max<std::size_t>(bytes, 64), std::align_val_t{64})));
}

namespace {

std::uint64_t executed_by(Cta const& cta) {
    std::uint64_t sum = 0;
    for (Warp const& warp : cta.warps) sum += warp.executed;
    return sum;
}

std::uint32_t longest(std::uint32_t const* values, LaneMask lanes) {
    std::uint32_t most = 0;
    for (; lanes != 0; lanes &= lanes - 1) most = std::max(most, values[std::countr_zero(lanes)]);
    return most;
}

std::uint64_t host_nanoseconds() {
    auto const elapsed = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

}  // namespace

Interpreter::Interpreter(LaunchContext const& launch, MemoryModel* model)
    : launch_(launch),
      model_(model),
      counters_(launch.plan.op_count),
      free_frames_(launch.plan.functions.size()) {}

Interpreter::~Interpreter() = default;

void Interpreter::account(FunctionPlan const& function, std::uint32_t from, std::uint32_t to, LaneMask lanes,
                          Warp& warp) {
    if (to <= from) return;
    std::uint32_t const base = function.counter_base;
    // Without the instruction, which not every host has, counting bits is a call.
    auto const threads = static_cast<std::int64_t>(lanes == isa::all_lanes ? 32 : std::popcount(lanes));
    OpCounters::Delta& begin = counters_.deltas[base + from];
    OpCounters::Delta& end = counters_.deltas[base + to];
    begin.warp += 1;
    begin.thread += threads;
    end.warp -= 1;
    end.thread -= threads;
    warp.executed += function.instructions_before[to] - function.instructions_before[from];
}

void Interpreter::account_passing(FunctionPlan const& function, std::uint32_t pc, LaneMask lanes) {
    std::uint32_t const base = function.counter_base;
    auto const threads = static_cast<std::int64_t>(std::popcount(lanes));
    counters_.deltas[base + pc].thread += threads;
    counters_.deltas[base + pc + 1].thread -= threads;
}

Interpreter::Outcome Interpreter::run(Cluster& cluster, std::uint64_t budget_per_warp) {
    if (launch_.sm_clocks == nullptr) return run_rounds(cluster, budget_per_warp);
    std::vector<std::uint64_t> before;
    for (Cta& cta : cluster.ctas) {
        before.push_back(cta.executed);
        cta.clock_offset = launch_.sm_clocks[cta.sm].load(std::memory_order_relaxed) - cta.executed;
    }
    Outcome const outcome = run_rounds(cluster, budget_per_warp);
    for (std::size_t i = 0; i < before.size(); ++i) {
        Cta const& cta = cluster.ctas[i];
        launch_.sm_clocks[cta.sm].fetch_add(cta.executed - before[i], std::memory_order_relaxed);
    }
    return outcome;
}

Interpreter::Outcome Interpreter::run_rounds(Cluster& cluster, std::uint64_t budget_per_warp) {
    // Warps that poll take short turns, so a turn of the cluster may have many rounds of them; others wait
    // meanwhile.
    constexpr int most_rounds = 256;
    for (int round = 0;; ++round) {
        bool moved = false, live = false, waiting = false, out_of_budget = false;
        std::uint64_t const changes = cluster.changes();
        std::uint64_t executed = 0;
        for (Cta& cta : cluster.ctas) {
            for (Warp& warp : cta.warps) {
                if (warp.live() == 0) continue;
                std::uint64_t const before = warp.executed;
                Outcome const outcome = sinks_.empty() ? run_warp<false>(cta, warp, budget_per_warp)
                                                       : run_warp<true>(cta, warp, budget_per_warp);
                moved |= warp.executed != before && outcome != Outcome::waiting;
                live |= outcome != Outcome::finished;
                waiting |= outcome == Outcome::waiting;
                out_of_budget |= outcome == Outcome::out_of_budget;
            }
            cta.executed =
                executed_by(cta);  // not summed by turns: a barrier counts for warps whose turn it is not
        }
        for (Cta const& cta : cluster.ctas) executed += cta.executed;
        cluster.executed = executed;
        if (!live) return Outcome::finished;
        if (out_of_budget || round == most_rounds) return Outcome::out_of_budget;
        if (moved || (waiting && cluster.changes() != changes)) continue;
        if (!waiting) return Outcome::blocked;
        if (!release_waiting(cluster)) return Outcome::out_of_budget;
    }
}

/// Lets lanes go on that wait to reconverge with others that poll or go round: what these wait for may be theirs
/// to do.
bool Interpreter::release_waiting(Cluster& cluster) {
    if (launch_.control_flow != ControlFlow::independent) return false;
    bool released = false;
    for (Cta& cta : cluster.ctas) {
        for (Warp& warp : cta.warps) released |= warp.live() != 0 && release_impatient(cta, warp, true);
    }
    return released;
}

template <bool observed> Interpreter::Outcome Interpreter::run_warp(Cta& cta, Warp& warp, std::uint64_t budget) {
    budget_end_ = warp.executed + budget;
    std::size_t polls = 0;
    while (warp.live() != 0) {
        if (!pick_group(warp)) {
            // Nothing can run. Volta's convergence is a wish, not a duty: let waiting lanes go on.
            // With the stack it is a duty, but not for lanes that have only to end.
            if (launch_.control_flow == ControlFlow::independent ? release_impatient(cta, warp, true)
                                                                 : release_ending(cta, warp))
                continue;
            return Outcome::blocked;
        }
        shorten_slice(warp);
        run_group<observed>(cta, warp);
        if (gives_way_) {
            gives_way_ = false;
            bool const others = std::any_of(warp.groups.begin(), warp.groups.end(), [&](Group const& g) {
                return &g != &current(warp) && g.state == Group::State::runnable;
            });
            if (!others || ++polls > warp.groups.size()) return Outcome::waiting;
        }
        if (warp.executed >= budget_end_) return warp.live() != 0 ? Outcome::out_of_budget : Outcome::finished;
        if (launch_.control_flow == ControlFlow::independent) release_impatient(cta, warp, slice_spins(cta, warp));
    }
    return Outcome::finished;
}

/// Runs the current group until it blocks, ends, waits for others, or its slice is used. Whatever changes which
/// lanes run where is out of line and leaves the group's new state in the warp; the loop then starts over from
/// there.
template <bool observed, bool single> void Interpreter::run_group(Cta& cta, Warp& warp) {
    [[maybe_unused]] bool stepped = false;  // single: the instruction has begun
restart:
    if constexpr (single) {
        if (stepped) return;
    }
    if (warp.current >= warp.groups.size() || current(warp).state != Group::State::runnable) return;
    Group& group = current(warp);
    FunctionPlan const& function = *group.frame->function;
    Op const* const code = function.ops.data();
    Op const* run_start = code + group.pc;
    Op const* op = run_start;
    LaneMask const active = group.lanes;
    warp.bases[0] = group.frame->registers.get();
    isa::Bases const bases = warp.bases;
    [[maybe_unused]] bool const tells_each = observed && sinks_.want(EventKind::instruction);
    auto const index = [&](Op const* o) { return static_cast<std::uint32_t>(o - code); };
    auto const stop_at = [&](Op const* o) {
        account(function, index(run_start), index(o), active, warp);
        group.pc = index(o);
    };
    for (;;) {
        if constexpr (single) {
            if (op->is_primary || op->kind == OpKind::converge) {
                if (stepped) return stop_at(op);
                stepped = true;
            }
        }
        if constexpr (!single) {
            while (op->kind == OpKind::lanes && !(observed && tells_each)) {
                op->run(bases, op->operands, active);
                ++op;
            }
        }
        LaneMask const predicate = *isa::column<LaneMask>(bases, op->guard);
        LaneMask const mask = active & (op->guard_negated ? ~predicate : predicate);
        if constexpr (single) {
            if (op->is_primary) stepped_ = {active, mask};
        }
        if constexpr (observed) {
            if (tells_each && op->is_primary) tell_instruction(cta, warp, *op, active, mask);
        }
        if (mask != active)
            counters_.guarded_off[function.counter_base + index(op)] +=
                static_cast<unsigned>(std::popcount(active & ~mask));
        if (mask == 0 && op->kind != OpKind::converge) {  // nobody executes it
            counters_.branch_total += op->kind == OpKind::branch || op->kind == OpKind::branch_indexed;
            ++op;
            continue;
        }
        switch (op->kind) {
            case OpKind::lanes:
            case OpKind::lanes_guarded:
                op->run(bases, op->operands, mask);
                ++op;
                continue;
            case OpKind::load:
            case OpKind::store:
            case OpKind::atomic:
                access<observed>(cta, warp, *op, mask);
                ++op;
                continue;
            case OpKind::bulk_store:
                bulk_store(cta, warp, *op, mask);
                ++op;
                continue;
            case OpKind::branch: {
                bool const is_guarded = (op->guard & 3) == 0;  // the always-true predicate is a constant
                counters_.branch_total += is_guarded;
                account(function, index(run_start), index(op) + 1, active, warp);
                if (mask != active) {
                    check_uniform(cta, warp, *op, mask, active & ~mask, "branch");
                    ++counters_.branch_divergent;
                    diverge(cta, warp, *op, index(op), mask, active & ~mask);
                    if (warp.executed >= slice_end_) return;
                    goto restart;
                }
                bool const backward = op->target <= index(op);
                op = run_start = code + op->target;
                if (backward && warp.executed >= slice_end_) {
                    group.pc = index(op);
                    return;
                }
                continue;
            }
            case OpKind::branch_indexed:
                stop_at(op + 1);
                branch_indexed(cta, warp, *op, index(op), mask);
                if (warp.executed >= slice_end_) return;
                goto restart;
            case OpKind::converge: {
                bool const waits = !warp.convergences.empty() &&
                                   find_convergence(warp, index(op) + 1, group.frame, active) != nullptr;
                if (!waits) {
                    ++op;
                    continue;
                }
                stop_at(op);
                arrive(cta, warp, index(op) + 1);
                goto restart;
            }
            case OpKind::call:
                account(function, index(run_start), index(op) + 1, active, warp);
                call(cta, warp, *op, index(op), mask);
                if (warp.executed >= slice_end_) return;
                goto restart;
            case OpKind::ret:
            case OpKind::exit:
                stop_at(op + 1);
                if (!cta.cluster->under_way.empty() &&
                    (op->kind == OpKind::exit || group.frame->parent == nullptr)) {
                    end_copies(cta, warp, *op, mask);
                }
                if (mask != active) check_uniform(cta, warp, *op, mask, active & ~mask, "return");
                if (op->kind == OpKind::exit || group.frame->parent == nullptr) exit_lanes(cta, warp, mask);
                else return_lanes(cta, warp, mask);
                goto restart;
            case OpKind::trap:
                stop_at(op + 1);
                if (op->target == 0)
                    fault(cta, warp, *op, std::countr_zero(mask), FaultKind::trap,
                          "trap: the program stopped itself");
                fault(cta, warp, *op, std::countr_zero(mask), FaultKind::breakpoint,
                      "breakpoint: brkpt stops a program without a debugger");
            case OpKind::call_runtime:
                stop_at(op);
                call_runtime(cta, warp, *op, mask);
                run_start = op;
                ++op;
                continue;
            case OpKind::move_stack:
                move_stack(cta, warp, *op, mask);
                ++op;
                continue;
            case OpKind::fence:
                // Loads of x86-64 acquire and stores release, so only a sequentially consistent fence does
                // anything.
                if (op->operands.immediate != 0) std::atomic_thread_fence(std::memory_order_seq_cst);
                if constexpr (observed) tell_fence(cta, warp, *op, mask);
                ++op;
                continue;
            case OpKind::barrier:
                stop_at(op);
                if (!barrier(cta, warp, *op, mask)) goto restart;
                account(function, index(op), index(op) + 1, active, warp);
                current(warp).pc = index(op) + 1;
                goto restart;
            case OpKind::map_rank:
            case OpKind::rank_of:
                map_ranks(cta, warp, *op, mask);
                ++op;
                continue;
            case OpKind::asynchronous:
                asynchronous(cta, warp, *op, mask);
                ++op;
                if (!gives_way_) continue;
                stop_at(op);
                return;
            case OpKind::cluster_arrive:
                stop_at(op + 1);
                cluster_arrive(cta, warp, *op, mask);
                goto restart;
            case OpKind::cluster_wait:
                stop_at(op);
                if (!cluster_wait(cta, warp, *op, mask)) goto restart;
                account(function, index(op), index(op) + 1, active, warp);
                current(warp).pc = index(op) + 1;
                goto restart;
            case OpKind::barrier_warp:
            case OpKind::shuffle:
            case OpKind::vote:
            case OpKind::match:
            case OpKind::elect:
            case OpKind::reduce_warp: {
                Collective const& c = function.collectives[op->target];
                if (fast_collective<observed>(cta, warp, *op, c, mask)) {
                    ++op;
                    continue;
                }
                stop_at(op);
                collective(cta, warp, *op, mask);
                goto restart;
            }
            case OpKind::active_mask:
                give_active_mask(warp, function.collectives[op->target], mask);
                ++op;
                continue;
            case OpKind::clock:
                read_clock(warp, cta, *op, mask,
                           function.instructions_before[index(op)] -
                               function.instructions_before[index(run_start)]);
                ++op;
                continue;
            case OpKind::nanosleep:
                // Time passes, so this is no state to call stuck; and the others may go first.
                if (model_ != nullptr)
                    model_->sleeps(longest(isa::column<std::uint32_t>(warp.bases, op->operands.slot[0]), mask));
                stop_at(op + 1);
                ++cta.changes;
                ++cta.looked_at_time;
                gives_way_ = true;
                if (launch_.control_flow == ControlFlow::independent) release_impatient(cta, warp, true);
                return;
            case OpKind::nothing: ++op; continue;
        }
    }
}

bool Interpreter::settle(Cta& cta, Warp& warp) {
    bool const turns = launch_.control_flow == ControlFlow::independent;
    budget_end_ = UINT64_MAX;
    slice_end_ = warp.slice_end;
    bool next = warp.executed >= slice_end_ || warp.current >= warp.groups.size() ||
                current(warp).state != Group::State::runnable;
    bool can_go = true;
    while (can_go && warp.live() != 0) {
        if (next) {
            if (turns) release_impatient(cta, warp, slice_spins(cta, warp) || std::exchange(warp.let_go, false));
            // Volta's convergence is a wish, not a duty: let waiting lanes go on when nothing else can.
            while (!pick_group(warp) && can_go)
                can_go = turns ? release_impatient(cta, warp, true) : release_ending(cta, warp);
            if (!can_go) break;
            shorten_slice(warp);
        }
        Group& group = current(warp);
        if (group.frame->function->ops[group.pc].kind != OpKind::converge) break;
        bool const waits = !warp.convergences.empty() &&
                           find_convergence(warp, group.pc + 1, group.frame, group.lanes) != nullptr;
        if (waits) arrive(cta, warp, group.pc + 1);
        else ++group.pc;
        next = warp.current >= warp.groups.size() || current(warp).state != Group::State::runnable;
    }
    warp.slice_end = slice_end_;
    return can_go && warp.live() != 0;
}

Interpreter::Stepped Interpreter::step(Cta& cta, Warp& warp, bool is_on_path) {
    budget_end_ = UINT64_MAX;
    slice_end_ = warp.slice_end;
    stepped_ = {};
    is_on_path_ = is_on_path;
    run_group<true, true>(cta, warp);
    warp.slice_end = gives_way_ ? warp.executed : slice_end_;  // who polls lets the others go first
    gives_way_ = false;
    return stepped_;
}

void Interpreter::branch_indexed(Cta& cta, Warp& warp, Op const& op, std::uint32_t pc, LaneMask mask) {
    FunctionPlan const& function = *current(warp).frame->function;
    std::vector<std::uint32_t> const& targets = function.branch_lists[op.target];
    auto const* const indices = isa::column<std::uint32_t>(warp.bases, op.operands.slot[1]);
    counters_.branch_total += 1;
    LaneMask const held_back = current(warp).lanes & ~mask;
    std::vector<WarpSplit> paths;
    if (held_back != 0) paths.push_back({pc + 1, held_back});
    for (LaneMask rest = mask; rest != 0;) {
        int const lane = std::countr_zero(rest);
        if (indices[lane] >= targets.size()) {
            fault(cta, warp, op, lane, FaultKind::illegal_operand,
                  "branch index " + std::to_string(indices[lane]) + " is outside a list of " +
                      std::to_string(targets.size()) + " targets");
        }
        LaneMask same = 0;
        for (LaneMask m = rest; m != 0; m &= m - 1) {
            int const i = std::countr_zero(m);
            if (indices[i] < targets.size() && targets[indices[i]] == targets[indices[lane]]) same |= 1u << i;
        }
        paths.push_back({targets[indices[lane]], same});
        rest &= ~same;
    }
    if (paths.size() == 1) {
        current(warp).pc = paths.front().pc;
        return;
    }
    check_uniform(cta, warp, op, paths.back().lanes, current(warp).lanes & ~paths.back().lanes,
                  "branch to one place");
    ++counters_.branch_divergent;
    sinks_.tell<DivergenceEvent>([&] { return DivergenceEvent{site(cta, warp, op), mask, held_back, paths}; });
    split(cta, warp, op.reconverge, paths);
}

template Interpreter::Outcome Interpreter::run_warp<true>(Cta&, Warp&, std::uint64_t);
template Interpreter::Outcome Interpreter::run_warp<false>(Cta&, Warp&, std::uint64_t);

void Interpreter::read_clock(Warp const& warp, Cta& cta, Op const& op, LaneMask mask, std::uint64_t pending) {
    // Functional mode has no cycles: the clock counts the warp instructions that the SM has executed. What its
    // other CTAs do in their turns is seen when a turn begins.
    using ir::SpecialRegister;
    std::uint64_t const cycles =
        model_ != nullptr ? model_->cycle() : cta.clock_offset + executed_by(cta) + pending;
    std::uint64_t const nanoseconds = model_ != nullptr ? model_->nanoseconds() : host_nanoseconds();
    std::uint64_t value = 0;
    switch (static_cast<SpecialRegister>(op.operands.immediate)) {
        case SpecialRegister::clock:
        case SpecialRegister::clock64: value = cycles; break;
        case SpecialRegister::clock_hi: value = cycles >> 32; break;
        case SpecialRegister::globaltimer:
        case SpecialRegister::globaltimer_lo: value = nanoseconds; break;
        case SpecialRegister::globaltimer_hi: value = nanoseconds >> 32; break;
        default: break;  // %pm counters count nothing
    }
    ++cta.changes;
    ++cta.looked_at_time;
    std::byte* const d = isa::column<std::byte>(warp.bases, op.operands.slot[0]);
    std::size_t const size = std::size_t{1} << op.target;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        std::memcpy(d + static_cast<std::size_t>(std::countr_zero(m)) * size, &value, size);
    }
}

std::uint64_t Interpreter::hash_state(Warp const& warp) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    auto const mix = [&](std::uint64_t v) { hash = (std::rotl(hash, 5) ^ v) * 0x2545f4914f6cdd1d; };
    for (Group const& g : warp.groups) {
        mix(g.lanes);
        mix(g.pc);
        mix(static_cast<std::uint64_t>(g.state));
        for (Frame const* f = g.frame; f != nullptr; f = f->parent) {
            std::byte const* const bytes = f->registers.get();
            for (std::size_t i = 0; i + 8 <= f->function->frame_bytes; i += 8) {
                std::uint64_t word;
                std::memcpy(&word, bytes + i, 8);
                mix(word);
            }
        }
    }
    for (Convergence const& c : warp.convergences) mix(c.arrived);
    return hash == 0 ? 1 : hash;
}

std::uint64_t Interpreter::hash_all(Warp const& warp) const {
    std::uint64_t hash = hash_state(warp);
    for (std::size_t i = 0; i + 8 <= warp.local_used * 32; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, warp.local.data() + i, 8);
        hash = (std::rotl(hash, 5) ^ word) * 0x2545f4914f6cdd1d;
    }
    return hash;
}

bool Interpreter::slice_spins(Cta const& cta, Warp& warp) const {
    // Lanes that do the same again and again wait for others of their warp. Counting instructions alone would not
    // tell a lock from a long loop.
    bool const waiting = std::any_of(warp.convergences.begin(), warp.convergences.end(),
                                     [](Convergence const& c) { return c.arrived != 0; });
    if (!waiting) return false;
    std::uint64_t const hash = hash_state(warp);
    std::uint64_t const changes = cta.changes + warp.own_changes;
    bool const same = hash == warp.slice_hash && changes == warp.slice_changes;
    warp.slice_hash = same ? 0 : hash;  // once let go, look anew
    warp.slice_changes = changes;
    return same;
}

Interpreter::Progress Interpreter::progress(Cluster& cluster, std::uint64_t epoch) {
    constexpr std::uint32_t most_releases =
        16;  // then they come back to where they wait, and it is a circle all the same
    std::uint64_t const changes = cluster.changes();
    bool const changed = changes != cluster.turn_changes;
    cluster.turn_changes = changes;
    std::uint64_t const times = cluster.looked_at_time();
    cluster.may_poll = times != std::exchange(cluster.turn_times, times);
    if (changed || cluster.kept_epoch != epoch) {
        cluster.kept_epoch = epoch;
        cluster.kept_hash = cluster.kept_turns = 0;
        cluster.keep_turns = 1;
        cluster.released = 0;
        if (changed) return Progress::changed;
    }
    std::uint64_t hash = 1;
    for (Cta const& cta : cluster.ctas) {
        for (Warp const& warp : cta.warps) {
            hash = std::rotl(hash, 7) * 0x2545f4914f6cdd1d ^ (warp.live() == 0 ? 0 : hash_all(warp));
        }
    }
    hash = hash == 0 ? 1 : hash;
    if (hash == cluster.kept_hash) {
        if (cluster.released == most_releases || !release_waiting(cluster)) return Progress::spinning;
        ++cluster.released;
        cluster.kept_hash = cluster.kept_turns = 0;
        cluster.keep_turns = 1;
        return Progress::undecided;
    }
    // A turn may end anywhere in a loop of loops, so the same state can be many turns away.
    if (++cluster.kept_turns >= cluster.keep_turns) {
        cluster.kept_hash = hash;
        cluster.kept_turns = 0;
        cluster.keep_turns *= 2;
    }
    return Progress::undecided;
}

}  // namespace warpsim::sim
