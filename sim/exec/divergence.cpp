// Lanes of a warp that diverge and reconverge. Both control-flow models share this: under `stack` the newest warp
// split runs until it waits or ends, and waiting is strict; under `independent` splits take turns and waiting is
// advisory.
#include "sim/exec/divergence.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpsim::sim {

bool Divergence::pick_split(Warp& warp) {
    auto const count = static_cast<std::uint32_t>(warp.splits.size());
    if (count == 0) return false;
    if (launch_.control_flow == ControlFlow::stack) {
        select(warp, count - 1);
        if (warp.splits.back().state == WarpSplit::State::runnable) return true;
        // No lane needs to wait for lanes that only have to end.
        for (std::uint32_t i = count; i-- > 0;) {
            WarpSplit const& split = warp.splits[i];
            if (split.state == WarpSplit::State::runnable && only_ends(warp.frame_of(split), split.pc)) {
                select(warp, i);
                return true;
            }
        }
        return false;
    }
    if (count > 1) merge_groups(warp);
    auto const left = static_cast<std::uint32_t>(warp.splits.size());
    for (std::uint32_t i = 0; i < left; ++i) {
        // Newest first, so that lanes inside a branch reach its end before those behind it run on; then in turn.
        std::uint32_t const candidate = (warp.current + left - 1 - i) % left;
        if (warp.splits[candidate].state == WarpSplit::State::runnable) {
            select(warp, candidate);
            return true;
        }
    }
    return false;
}

void Divergence::shorten_slice(Warp const& warp) {
    execution_.slice_end = execution_.budget_end;
    if (launch_.control_flow == ControlFlow::stack) return;
    if (warp.splits.size() > 1 || has_waiting_lanes(warp))
        execution_.slice_end = std::min(execution_.slice_end, warp.executed + longest_slice);
}

WarpSplit& Divergence::add_split(Warp& warp, LaneMask lanes, std::uint32_t pc, FrameIndex frame) {
    WarpSplit split;
    split.lanes = lanes;
    split.pc = pc;
    split.frame = frame;
    return warp.splits.add(split);
}

void Divergence::remove_current(Warp& warp) {
    warp.splits.remove(warp.current);
    select(warp, warp.splits.empty() ? 0 : static_cast<std::uint32_t>(warp.splits.size()) - 1);
}

void Divergence::merge_groups(Warp& warp) {
    for (std::size_t i = 0; i < warp.splits.size(); ++i) {
        for (std::size_t k = i + 1; k < warp.splits.size();) {
            WarpSplit& a = warp.splits[i];
            WarpSplit const& b = warp.splits[k];
            bool const meet =
                a.pc == b.pc && a.frame == b.frame && a.state == b.state && a.state == WarpSplit::State::runnable;
            if (!meet) {
                ++k;
                continue;
            }
            a.lanes |= b.lanes;
            warp.splits.remove(k);
            if (warp.current == k) warp.current = static_cast<std::uint32_t>(i);
            else if (warp.current > k) --warp.current;
        }
    }
}

bool Divergence::only_ends(Frame const& frame, std::uint32_t pc) const {
    Op const& op = frame.function->ops[pc];
    bool const is_guarded = (op.guard & 3) == 0;
    return !is_guarded && (op.kind == OpKind::exit || (op.kind == OpKind::ret && frame.is_kernel()));
}

bool Divergence::release_ending(Cta& cta, Warp& warp) {
    for (std::size_t i = warp.convergence_barriers.size(); i-- > 0;) {
        ConvergenceBarrier const& c = warp.convergence_barriers[i];
        if (c.arrived == 0 || !only_ends(warp.frame(c.frame), c.point)) continue;
        release(cta, warp, i);
        return true;
    }
    return false;
}

ConvergenceBarrier* Divergence::find_convergence_barrier(Warp& warp, std::uint32_t point, FrameIndex frame,
                                                         LaneMask lanes) {
    for (ConvergenceBarrier& c : warp.convergence_barriers) {
        if (c.point == point && c.frame == frame) return (c.lanes & lanes) != 0 ? &c : nullptr;
    }
    return nullptr;
}

ConvergenceBarrier& Divergence::open_convergence_barrier(Warp& warp, std::uint32_t point, FrameIndex frame,
                                                         LaneMask lanes) {
    for (ConvergenceBarrier& c : warp.convergence_barriers) {
        if (c.point != point || c.frame != frame) continue;
        c.lanes |= lanes;
        return c;
    }
    ConvergenceBarrier entry;
    entry.point = point;
    entry.frame = frame;
    entry.lanes = lanes;
    return warp.convergence_barriers.add(entry);
}

void Divergence::diverge(Cta& cta, Warp& warp, Op const& op, std::uint32_t pc, LaneMask taken,
                         LaneMask not_taken) {
    // The lanes that branch backward stay in their loop; otherwise those that fall through go first.
    DivergedPath const branch{op.target, taken}, fall{pc + 1, not_taken};
    bool const taken_first = op.target <= pc;
    DivergedPath const paths[] = {taken_first ? fall : branch, taken_first ? branch : fall};
    sinks_.tell<DivergenceEvent>([&] { return DivergenceEvent{site(cta, warp, op), taken, not_taken, paths}; });
    split(cta, warp, op.reconverge, paths);
}

void Divergence::split(Cta& cta, Warp& warp, std::uint32_t meet, std::span<DivergedPath const> paths) {
    FrameIndex const frame = warp.running().frame;
    LaneMask there = 0;
    if (meet != UINT32_MAX) {
        // Lanes that go directly to the reconvergence point wait there without becoming a split.
        ConvergenceBarrier& entry = open_convergence_barrier(warp, meet + 1, frame, warp.running().lanes);
        for (DivergedPath const& path : paths) there |= path.pc == meet ? path.lanes : 0;
        if (there != 0) wait_in(warp, entry, there);
    }
    warp.splits.remove(warp.current);
    for (DivergedPath const& path : paths) {
        if ((path.lanes & ~there) != 0) add_split(warp, path.lanes, path.pc, frame);
    }
    select(warp, warp.splits.empty() ? 0 : static_cast<std::uint32_t>(warp.splits.size()) - 1);
    if (there != 0) release_complete(cta, warp);
    shorten_slice(warp);
}

void Divergence::wait_in(Warp& warp, ConvergenceBarrier& entry, LaneMask lanes) {
    // Lanes that reach an outer point do not come to the inner ones any more.
    for (ConvergenceBarrier* inner = &entry + 1; inner != warp.convergence_barriers.end(); ++inner)
        inner->lanes &= ~lanes;
    if (entry.arrived == 0) entry.since = warp.executed;
    // A split may contain lanes that were released from here before: they wait again with those that they met.
    entry.lanes |= lanes;
    entry.arrived |= lanes;
}

bool Divergence::arrive(Cta& cta, Warp& warp, std::uint32_t point) {
    LaneMask const lanes = warp.running().lanes;
    ConvergenceBarrier* entry = find_convergence_barrier(warp, point, warp.running().frame, lanes);
    if (entry == nullptr) return true;
    wait_in(warp, *entry, lanes);
    remove_current(warp);
    release_complete(cta, warp);
    shorten_slice(warp);
    return false;
}

void Divergence::leave_convergences(Cta& cta, Warp& warp, LaneMask lanes) {
    for (ConvergenceBarrier& c : warp.convergence_barriers) {
        c.lanes &= ~lanes;
        c.arrived &= ~lanes;
    }
    release_complete(cta, warp);
}

void Divergence::release_complete(Cta& cta, Warp& warp) {
    for (std::size_t left = warp.convergence_barriers.size();;) {
        ConvergenceBarrier const* const barriers = warp.convergence_barriers.begin();
        while (left > 0 && barriers[left - 1].arrived != barriers[left - 1].lanes) --left;
        if (left == 0) return;
        --left;
        if (barriers[left].lanes == 0) warp.convergence_barriers.remove(left);
        else release(cta, warp, left);
    }
}

void Divergence::release(Cta& cta, Warp& warp, std::size_t convergence) {
    ConvergenceBarrier& c = warp.convergence_barriers[convergence];
    LaneMask const lanes = c.arrived;
    std::uint32_t const point = c.point;
    FrameIndex const frame = c.frame;
    c.lanes &= ~lanes;
    c.arrived = 0;
    if (c.lanes == 0) warp.convergence_barriers.remove(convergence);
    add_split(warp, lanes, point, frame);
    select(warp, static_cast<std::uint32_t>(warp.splits.size()) - 1);
    sinks_.tell<ReconvergenceEvent>([&] {
        std::vector<Op> const& ops = warp.frame(frame).function->ops;
        Op const& op = ops[std::min<std::size_t>(point, ops.size() - 1)];
        return ReconvergenceEvent{{cta, warp, warp.frame(frame), op, cycle()}, lanes};
    });
}

bool Divergence::release_impatient(Cta& cta, Warp& warp, bool force) {
    for (std::size_t i = warp.convergence_barriers.size(); i-- > 0;) {
        ConvergenceBarrier const& c = warp.convergence_barriers[i];
        if (c.arrived == 0) continue;
        if (!force && warp.executed - c.since < launch_.convergence_patience) continue;
        release(cta, warp, i);
        return true;
    }
    return false;
}

void Divergence::branch_indexed(Cta& cta, Warp& warp, Op const& op, std::uint32_t pc, LaneMask mask) {
    FunctionPlan const& function = *warp.running_frame().function;
    std::vector<std::uint32_t> const& targets = function.branch_lists[op.target];
    auto const* const indices = isa::column<std::uint32_t>(warp.bases, op.operands.slot[1]);
    counters_.branch_total += 1;
    LaneMask const held_back = warp.running().lanes & ~mask;
    std::vector<DivergedPath> paths;
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
        warp.running().pc = paths.front().pc;
        return;
    }
    check_uniform(cta, warp, op, paths.back().lanes, warp.running().lanes & ~paths.back().lanes,
                  "branch to one place");
    counters_.account_divergence(function, pc);
    sinks_.tell<DivergenceEvent>([&] { return DivergenceEvent{site(cta, warp, op), mask, held_back, paths}; });
    split(cta, warp, op.reconverge, paths);
}

void Divergence::block(Warp& warp, LaneMask mask, WarpSplit::State state, std::uint32_t barrier_id) {
    WarpSplit& split = warp.running();
    LaneMask const others = split.lanes & ~mask;
    std::uint32_t const next = split.pc + 1;
    FunctionPlan const& function = warp.function_of(split);
    FrameIndex const frame = split.frame;
    split.lanes = mask;
    split.state = state;
    split.barrier = barrier_id;
    if (others == 0) return;
    counters_.account_passing(function, next - 1, others);
    add_split(warp, others, next, frame);
    select(warp, static_cast<std::uint32_t>(warp.splits.size()) - 1);
}

void Divergence::check_aligned(Cta const& cta, Warp const& warp, Op const& op, LaneMask mask) const {
    WarpSplit const& split = warp.splits[warp.current];
    LaneMask const held_back = split.lanes & ~mask;
    if (held_back != 0) {
        fault(cta, warp, op, std::countr_zero(mask), FaultKind::barrier_misuse,
              "divergent barrier: all lanes of a warp must execute this one, and " + lanes_text(held_back) +
                  " of " + lanes_text(split.lanes) + " are held back by its guard");
    }
    LaneMask elsewhere = warp.live() & ~mask;
    // Lanes that only have to end count as gone.
    for (ConvergenceBarrier const& c : warp.convergence_barriers)
        elsewhere &= only_ends(warp.frame(c.frame), c.point) ? ~c.arrived : isa::all_lanes;
    for (WarpSplit const& other : warp.splits)
        elsewhere &= only_ends(warp.frame_of(other), other.pc) ? ~other.lanes : isa::all_lanes;
    if (launch_.control_flow == ControlFlow::stack && elsewhere != 0) {
        fault(cta, warp, op, std::countr_zero(mask), FaultKind::barrier_misuse,
              "divergent barrier: all lanes of a warp must execute this one, and " + lanes_text(elsewhere) +
                  " are elsewhere");
    }
    for (WarpSplit const& other : warp.splits) {
        bool const waits =
            other.state == WarpSplit::State::in_barrier || other.state == WarpSplit::State::in_cluster_barrier;
        if (!waits) continue;
        FunctionPlan const& function = warp.function_of(other);
        if (&function.ops[other.pc] == &op) continue;
        // Lanes that were released before these came have arrived already, and wait in the second instruction of the
        // same barrier.
        if (op.effect == isa::Effect::cluster_arrive && other.state == WarpSplit::State::in_cluster_barrier)
            continue;
        fault(cta, warp, op, std::countr_zero(mask), FaultKind::barrier_misuse,
              "divergent barrier: all lanes of a warp must execute this one, and " + lanes_text(other.lanes) +
                  " wait in another, at " + line_of(*launch_.plan.module, function, other.pc));
    }
}

std::uint64_t Divergence::hash_state(Warp const& warp) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    auto const mix = [&](std::uint64_t v) { hash = (std::rotl(hash, 5) ^ v) * 0x2545f4914f6cdd1d; };
    for (WarpSplit const& g : warp.splits) {
        mix(g.lanes);
        mix(g.pc);
        mix(static_cast<std::uint64_t>(g.state));
        for (FrameIndex f = g.frame; f != no_frame; f = warp.frame(f).parent) {
            std::byte const* const bytes = warp.frame(f).registers.get();
            for (std::size_t i = 0; i + 8 <= warp.frame(f).function->frame_bytes; i += 8) {
                std::uint64_t word;
                std::memcpy(&word, bytes + i, 8);
                mix(word);
            }
        }
    }
    for (ConvergenceBarrier const& c : warp.convergence_barriers) mix(c.arrived);
    return hash == 0 ? 1 : hash;
}

std::uint64_t Divergence::hash_all(Warp const& warp) const {
    std::uint64_t hash = hash_state(warp);
    for (std::size_t i = 0; i + 8 <= warp.local_used * 32; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, warp.local.data() + i, 8);
        hash = (std::rotl(hash, 5) ^ word) * 0x2545f4914f6cdd1d;
    }
    return hash;
}

bool Divergence::has_waiting_lanes(Warp const& warp) {
    for (ConvergenceBarrier const& c : warp.convergence_barriers) {
        if (c.arrived != 0) return true;
    }
    return false;
}

bool Divergence::slice_spins(Cta const& cta, Warp& warp) const {
    // Lanes that repeat the same state wait for others of their warp. Counting instructions alone would not
    // distinguish a lock from a long loop.
    if (!has_waiting_lanes(warp)) return false;
    std::uint64_t const hash = hash_state(warp);
    std::uint64_t const changes = cta.changes + warp.own_changes;
    bool const same = hash == warp.slice_hash && changes == warp.slice_changes;
    warp.slice_hash = same ? 0 : hash;  // after a release, observe anew
    warp.slice_changes = changes;
    return same;
}

}  // namespace warpsim::sim
