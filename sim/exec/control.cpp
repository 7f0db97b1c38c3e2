// Lanes of a warp that go apart and meet again. Both control-flow models share this: under `stack` the newest
// group runs until it waits or ends, and waiting is strict; under `independent` groups take turns and waiting is
// advisory.
#include "sim/exec/interpreter.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::sim {

void Interpreter::select(Warp& warp, std::uint32_t group) { warp.current = group; }

bool Interpreter::pick_group(Warp& warp) {
    auto const count = static_cast<std::uint32_t>(warp.groups.size());
    if (count == 0) return false;
    if (launch_.control_flow == ControlFlow::stack) {
        select(warp, count - 1);
        if (warp.groups.back().state == Group::State::runnable) return true;
        // Lanes that have only to end keep nobody waiting.
        for (std::uint32_t i = count; i-- > 0;) {
            Group const& group = warp.groups[i];
            if (group.state == Group::State::runnable && only_ends(*group.frame, group.pc)) {
                select(warp, i);
                return true;
            }
        }
        return false;
    }
    if (count > 1) merge_groups(warp);
    auto const left = static_cast<std::uint32_t>(warp.groups.size());
    for (std::uint32_t i = 0; i < left; ++i) {
        // Newest first, so that lanes inside a branch reach its end before those behind it run on; then in turns.
        std::uint32_t const candidate = (warp.current + left - 1 - i) % left;
        if (warp.groups[candidate].state == Group::State::runnable) {
            select(warp, candidate);
            return true;
        }
    }
    return false;
}

void Interpreter::shorten_slice(Warp const& warp) {
    slice_end_ = budget_end_;
    bool const others_wait =
        warp.groups.size() > 1 || std::any_of(warp.convergences.begin(), warp.convergences.end(),
                                              [](Convergence const& c) { return c.arrived != 0; });
    if (launch_.control_flow == ControlFlow::independent && others_wait) {
        slice_end_ = std::min(slice_end_, warp.executed + longest_slice);
    }
}

Group& Interpreter::add_group(Warp& warp, LaneMask lanes, std::uint32_t pc, Frame* frame) {
    Group group;
    group.lanes = lanes;
    group.pc = pc;
    group.frame = frame;
    return warp.groups.emplace_back(group);
}

void Interpreter::remove_current(Warp& warp) {
    warp.groups.erase(warp.groups.begin() + warp.current);
    select(warp, warp.groups.empty() ? 0 : static_cast<std::uint32_t>(warp.groups.size()) - 1);
}

void Interpreter::merge_groups(Warp& warp) {
    for (std::size_t i = 0; i < warp.groups.size(); ++i) {
        for (std::size_t k = i + 1; k < warp.groups.size();) {
            Group& a = warp.groups[i];
            Group const& b = warp.groups[k];
            bool const meet =
                a.pc == b.pc && a.frame == b.frame && a.state == b.state && a.state == Group::State::runnable;
            if (!meet) {
                ++k;
                continue;
            }
            a.lanes |= b.lanes;
            warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(k));
            if (warp.current == k) warp.current = static_cast<std::uint32_t>(i);
            else if (warp.current > k) --warp.current;
        }
    }
}

bool Interpreter::only_ends(Frame const& frame, std::uint32_t pc) const {
    Op const& op = frame.function->ops[pc];
    bool const is_guarded = (op.guard & 3) == 0;
    return !is_guarded && (op.kind == OpKind::exit || (op.kind == OpKind::ret && frame.parent == nullptr));
}

bool Interpreter::release_ending(Cta& cta, Warp& warp) {
    for (std::size_t i = warp.convergences.size(); i-- > 0;) {
        Convergence const& c = warp.convergences[i];
        if (c.arrived == 0 || !only_ends(*c.frame, c.point)) continue;
        release(cta, warp, i);
        return true;
    }
    return false;
}

Convergence* Interpreter::find_convergence(Warp& warp, std::uint32_t point, Frame const* frame, LaneMask lanes) {
    for (Convergence& c : warp.convergences) {
        if (c.point == point && c.frame == frame) return (c.lanes & lanes) != 0 ? &c : nullptr;
    }
    return nullptr;
}

Convergence& Interpreter::open_convergence(Warp& warp, std::uint32_t point, Frame* frame, LaneMask lanes) {
    for (Convergence& c : warp.convergences) {
        if (c.point != point || c.frame != frame) continue;
        c.lanes |= lanes;
        return c;
    }
    Convergence entry;
    entry.point = point;
    entry.frame = frame;
    entry.lanes = lanes;
    return warp.convergences.emplace_back(entry);
}

void Interpreter::diverge(Cta& cta, Warp& warp, Op const& op, std::uint32_t pc, LaneMask taken,
                          LaneMask not_taken) {
    // The lanes that branch backward stay in their loop; otherwise those that fall through go first.
    WarpSplit const branch{op.target, taken}, fall{pc + 1, not_taken};
    bool const taken_first = op.target <= pc;
    WarpSplit const paths[] = {taken_first ? fall : branch, taken_first ? branch : fall};
    sinks_.tell<DivergenceEvent>([&] { return DivergenceEvent{site(cta, warp, op), taken, not_taken, paths}; });
    split(cta, warp, op.reconverge, paths);
}

void Interpreter::split(Cta& cta, Warp& warp, std::uint32_t meet, std::span<WarpSplit const> paths) {
    Frame* const frame = current(warp).frame;
    LaneMask there = 0;
    if (meet != UINT32_MAX) {
        // Lanes that go straight to the reconvergence point wait there without becoming a group.
        Convergence& entry = open_convergence(warp, meet + 1, frame, current(warp).lanes);
        for (WarpSplit const& path : paths) there |= path.pc == meet ? path.lanes : 0;
        if (there != 0) wait_in(warp, entry, there);
    }
    warp.groups.erase(warp.groups.begin() + warp.current);
    for (WarpSplit const& path : paths) {
        if ((path.lanes & ~there) != 0) add_group(warp, path.lanes, path.pc, frame);
    }
    select(warp, warp.groups.empty() ? 0 : static_cast<std::uint32_t>(warp.groups.size()) - 1);
    if (there != 0) release_complete(cta, warp);
    shorten_slice(warp);
}

void Interpreter::wait_in(Warp& warp, Convergence& entry, LaneMask lanes) {
    // Who reaches an outer point no longer comes to the inner ones.
    auto const outer = static_cast<std::size_t>(&entry - warp.convergences.data());
    for (std::size_t i = outer + 1; i < warp.convergences.size(); ++i) warp.convergences[i].lanes &= ~lanes;
    if (entry.arrived == 0) entry.since = warp.executed;
    // A group may hold lanes that were let go from here before: they wait again with those that they met.
    entry.lanes |= lanes;
    entry.arrived |= lanes;
}

bool Interpreter::arrive(Cta& cta, Warp& warp, std::uint32_t point) {
    Group const group = current(warp);
    Convergence* entry = find_convergence(warp, point, group.frame, group.lanes);
    if (entry == nullptr) return true;
    wait_in(warp, *entry, group.lanes);
    remove_current(warp);
    release_complete(cta, warp);
    shorten_slice(warp);
    return false;
}

void Interpreter::leave_convergences(Cta& cta, Warp& warp, LaneMask lanes, Frame const* frame) {
    for (Convergence& c : warp.convergences) {
        if (frame != nullptr && c.frame != frame) continue;
        c.lanes &= ~lanes;
        c.arrived &= ~lanes;
    }
    release_complete(cta, warp);
}

void Interpreter::release_complete(Cta& cta, Warp& warp) {
    for (std::size_t i = warp.convergences.size(); i-- > 0;) {
        Convergence& c = warp.convergences[i];
        if (c.arrived != c.lanes) continue;
        if (c.lanes == 0) warp.convergences.erase(warp.convergences.begin() + static_cast<std::ptrdiff_t>(i));
        else release(cta, warp, i);
    }
}

void Interpreter::release(Cta& cta, Warp& warp, std::size_t convergence) {
    Convergence& c = warp.convergences[convergence];
    LaneMask const lanes = c.arrived;
    std::uint32_t const point = c.point;
    Frame* const frame = c.frame;
    c.lanes &= ~lanes;
    c.arrived = 0;
    if (c.lanes == 0)
        warp.convergences.erase(warp.convergences.begin() + static_cast<std::ptrdiff_t>(convergence));
    add_group(warp, lanes, point, frame);
    select(warp, static_cast<std::uint32_t>(warp.groups.size()) - 1);
    sinks_.tell<ReconvergenceEvent>([&] {
        std::vector<Op> const& ops = frame->function->ops;
        Op const& op = ops[std::min<std::size_t>(point, ops.size() - 1)];
        return ReconvergenceEvent{{cta, warp, *frame, op, cycle()}, lanes};
    });
}

bool Interpreter::release_impatient(Cta& cta, Warp& warp, bool force) {
    for (std::size_t i = warp.convergences.size(); i-- > 0;) {
        Convergence const& c = warp.convergences[i];
        if (c.arrived == 0) continue;
        if (!force && warp.executed - c.since < launch_.convergence_patience) continue;
        release(cta, warp, i);
        return true;
    }
    return false;
}

}  // namespace warpsim::sim
