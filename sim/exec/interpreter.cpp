// The loop that executes warps, and the turns that warps of a CTA take.
#include "sim/exec/interpreter.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>

namespace warpsim::sim {

AlignedBytes aligned_bytes(std::size_t bytes) {
    return AlignedBytes(static_cast<std::byte*>(::operator new[](std::max<std::size_t>(bytes, 64), std::align_val_t{64})));
}

Interpreter::Interpreter(LaunchContext const& launch, Observer* observer)
    : launch_(launch), observer_(observer), counters_(launch.plan.op_count), free_frames_(launch.plan.functions.size()) {}

Interpreter::~Interpreter() = default;

void Interpreter::account(FunctionPlan const& function, std::uint32_t from, std::uint32_t to, LaneMask lanes, Warp& warp) {
    if (to <= from) return;
    std::uint32_t const base = launch_.plan.counter_base[static_cast<std::size_t>(&function - launch_.plan.functions.data())];
    auto const threads = static_cast<std::int64_t>(std::popcount(lanes));
    OpCounters::Delta& begin = counters_.deltas[base + from];
    OpCounters::Delta& end = counters_.deltas[base + to];
    begin.warp += 1;
    begin.thread += threads;
    end.warp -= 1;
    end.thread -= threads;
    warp.executed += to - from;
}

Interpreter::Outcome Interpreter::run(Cta& cta, std::uint64_t budget_per_warp) {
    bool out_of_budget = false;
    for (;;) {
        bool moved = false, live = false;
        for (Warp& warp : cta.warps) {
            if (warp.live() == 0) continue;
            std::uint64_t const before = warp.executed;
            Outcome const outcome = observer_ != nullptr ? run_warp<true>(cta, warp, budget_per_warp)
                                                         : run_warp<false>(cta, warp, budget_per_warp);
            cta.executed += warp.executed - before;
            moved |= warp.executed != before;
            live |= outcome != Outcome::finished;
            out_of_budget |= outcome == Outcome::out_of_budget;
        }
        if (!live) return Outcome::finished;
        if (out_of_budget) return Outcome::out_of_budget;
        if (!moved) return Outcome::blocked;
    }
}

template <bool observed>
Interpreter::Outcome Interpreter::run_warp(Cta& cta, Warp& warp, std::uint64_t budget) {
    budget_end_ = warp.executed + budget;
    while (warp.live() != 0) {
        if (!pick_group(warp)) {
            // Nothing can run. Volta's convergence is a wish, not a duty: let waiting lanes go on.
            if (launch_.control_flow == ControlFlow::independent && release_impatient(cta, warp, true)) continue;
            return Outcome::blocked;
        }
        shorten_slice(warp);
        run_group<observed>(cta, warp);
        if (warp.executed >= budget_end_) return warp.live() != 0 ? Outcome::out_of_budget : Outcome::finished;
        if (launch_.control_flow == ControlFlow::independent) release_impatient(cta, warp, slice_spins(cta, warp));
    }
    return Outcome::finished;
}

/// Runs the current group until it blocks, ends, waits for others, or its slice is used. Whatever changes which lanes
/// run where is out of line and leaves the group's new state in the warp; the loop then starts over from there.
template <bool observed>
void Interpreter::run_group(Cta& cta, Warp& warp) {
restart:
    if (warp.current >= warp.groups.size() || current(warp).state != Group::State::runnable) return;
    Group& group = current(warp);
    FunctionPlan const& function = *group.frame->function;
    Op const* const code = function.ops.data();
    Op const* run_start = code + group.pc;
    Op const* op = run_start;
    LaneMask const active = group.lanes;
    warp.bases[0] = group.frame->registers.get();
    isa::Bases const bases = warp.bases;
    std::uint32_t const counter_base =
        launch_.plan.counter_base[static_cast<std::size_t>(&function - launch_.plan.functions.data())];
    auto const index = [&](Op const* o) { return static_cast<std::uint32_t>(o - code); };
    auto const stop_at = [&](Op const* o) {
        account(function, index(run_start), index(o), active, warp);
        group.pc = index(o);
    };
    for (;;) {
        if constexpr (!observed) {
            while (op->kind == OpKind::lanes) {
                op->run(bases, op->operands, active);
                ++op;
            }
        }
        LaneMask const predicate = *isa::column<LaneMask>(bases, op->guard);
        LaneMask const mask = active & (op->guard_negated ? ~predicate : predicate);
        if constexpr (observed) {
            if (op->is_primary) observer_->instruction(cta, warp, *group.frame, *op, active, mask);
        }
        if (mask != active) counters_.guarded_off[counter_base + index(op)] += static_cast<unsigned>(std::popcount(active & ~mask));
        switch (op->kind) {
            case OpKind::lanes:
            case OpKind::lanes_guarded:
                if (mask != 0) op->run(bases, op->operands, mask);
                ++op;
                continue;
            case OpKind::load:
            case OpKind::store:
            case OpKind::atomic:
                if (mask != 0) access<observed>(cta, warp, *op, mask);
                ++op;
                continue;
            case OpKind::branch: {
                bool const is_guarded = (op->guard & 3) == 0;   // the always-true predicate is a constant
                counters_.branch_total += is_guarded;
                if (mask == 0) {
                    ++op;
                    continue;
                }
                account(function, index(run_start), index(op) + 1, active, warp);
                if (mask != active) {
                    ++counters_.branch_divergent;
                    if constexpr (observed) observer_->diverged(cta, warp, *group.frame, *op, mask, active & ~mask);
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
            case OpKind::branch_indexed: {
                stop_at(op + 1);
                std::vector<std::uint32_t> const& targets = function.branch_lists[op->target];
                auto const* const lanes = isa::column<std::uint32_t>(bases, op->operands.slot[1]);
                counters_.branch_total += 1;
                LaneMask rest = mask;
                LaneMask const first = rest;
                bool split = mask != active;
                while (rest != 0) {
                    int const lane = std::countr_zero(rest);
                    if (lanes[lane] >= targets.size()) {
                        fault(cta, warp, *op, lane, "branch index " + std::to_string(lanes[lane]) + " is outside a list of " +
                                                        std::to_string(targets.size()) + " targets");
                    }
                    LaneMask same = 0;
                    for (LaneMask m = rest; m != 0; m &= m - 1) {
                        int const i = std::countr_zero(m);
                        if (lanes[i] == lanes[lane]) same |= 1u << i;
                    }
                    split |= same != first;
                    std::uint32_t const target = targets[lanes[lane]];
                    rest &= ~same;
                    if (same == current(warp).lanes) {
                        current(warp).pc = target;
                        break;
                    }
                    Op towards = *op;
                    towards.target = target;
                    // Each peeled-off set of lanes is a divergence of its own against what is left.
                    LaneMask const others = current(warp).lanes & ~same;
                    if constexpr (observed) observer_->diverged(cta, warp, *group.frame, *op, same, others);
                    diverge(cta, warp, towards, index(op), same, others);
                    std::uint32_t const left = find_group(warp, others);
                    if (left == UINT32_MAX) break;
                    select(warp, left);
                }
                counters_.branch_divergent += split;
                goto restart;
            }
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
                if (mask == 0) {
                    ++op;
                    continue;
                }
                stop_at(op + 1);
                if (op->kind == OpKind::exit || group.frame->parent == nullptr) exit_lanes(cta, warp, mask);
                else return_lanes(cta, warp, mask);
                goto restart;
            case OpKind::trap:
                if (mask == 0) {
                    ++op;
                    continue;
                }
                stop_at(op + 1);
                fault(cta, warp, *op, std::countr_zero(mask), "trap: the program stopped itself");
            case OpKind::fence:
                std::atomic_thread_fence(std::memory_order_seq_cst);
                ++op;
                continue;
            case OpKind::barrier:
                if (mask == 0) {
                    ++op;
                    continue;
                }
                stop_at(op);
                if (!barrier(cta, warp, *op, mask)) goto restart;
                account(function, index(op), index(op) + 1, active, warp);
                current(warp).pc = index(op) + 1;
                goto restart;
            case OpKind::barrier_warp:
            case OpKind::shuffle:
            case OpKind::vote:
            case OpKind::match:
            case OpKind::elect:
            case OpKind::reduce_warp: {
                if (mask == 0) {
                    ++op;
                    continue;
                }
                Collective const& c = function.collectives[op->target];
                if (fast_collective(warp, *op, c, mask)) {
                    ++op;
                    continue;
                }
                stop_at(op);
                collective(cta, warp, *op, mask);
                goto restart;
            }
            case OpKind::active_mask:
                if (mask != 0) {
                    auto* const d = isa::column<std::uint32_t>(bases, function.collectives[op->target].result);
                    for (LaneMask m = mask; m != 0; m &= m - 1) d[std::countr_zero(m)] = mask;
                }
                ++op;
                continue;
            case OpKind::clock:
                read_clock(warp, cta, *op, mask, index(op) - index(run_start));
                ++op;
                continue;
            case OpKind::nanosleep:
                // Time passes, so this is no state to call stuck; and the others may go first.
                stop_at(op + 1);
                ++cta.changes;
                if (launch_.control_flow == ControlFlow::independent) {
                    release_impatient(cta, warp, true);
                    return;
                }
                goto restart;
            case OpKind::nothing: ++op; continue;
        }
    }
}

template Interpreter::Outcome Interpreter::run_warp<true>(Cta&, Warp&, std::uint64_t);
template Interpreter::Outcome Interpreter::run_warp<false>(Cta&, Warp&, std::uint64_t);

void Interpreter::read_clock(Warp const& warp, Cta& cta, Op const& op, LaneMask mask, std::uint64_t pending) {
    // Functional mode has no cycles: the clock counts the SM's executed warp instructions.
    using ir::SpecialRegister;
    std::uint64_t const instructions = cta.executed + warp.executed + pending;
    auto const elapsed = std::chrono::steady_clock::now() - launch_.start;
    auto const nanoseconds = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
    std::uint64_t value = 0;
    switch (static_cast<SpecialRegister>(op.operands.immediate)) {
        case SpecialRegister::clock:
        case SpecialRegister::clock64: value = instructions; break;
        case SpecialRegister::clock_hi: value = instructions >> 32; break;
        case SpecialRegister::globaltimer:
        case SpecialRegister::globaltimer_lo: value = nanoseconds; break;
        case SpecialRegister::globaltimer_hi: value = nanoseconds >> 32; break;
        default: break;   // %pm counters count nothing
    }
    ++cta.changes;
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

bool Interpreter::slice_spins(Cta const& cta, Warp& warp) const {
    // Lanes that do the same again and again wait for others of their warp. Counting instructions alone would not
    // tell a lock from a long loop.
    bool const waiting = std::any_of(warp.convergences.begin(), warp.convergences.end(),
                                     [](Convergence const& c) { return c.arrived != 0; });
    if (!waiting) return false;
    std::uint64_t const hash = hash_state(warp);
    bool const same = hash == warp.slice_hash && cta.changes == warp.slice_changes;
    warp.slice_hash = same ? 0 : hash;   // once let go, look anew
    warp.slice_changes = cta.changes;
    return same;
}

bool Interpreter::is_spinning(Cta& cta) {
    bool const unchanged = cta.changes == cta.turn_changes;
    cta.turn_changes = cta.changes;
    bool same = unchanged;
    for (Warp& warp : cta.warps) {
        if (warp.live() == 0) continue;
        std::uint64_t const hash = unchanged ? hash_state(warp) : 0;
        same &= hash == warp.turn_hash;
        warp.turn_hash = hash;
    }
    return same;
}

}  // namespace warpsim::sim
