// CTA barriers: who has come, and what happens when all have.
#include "sim/exec/interpreter.hpp"

#include <bit>

namespace warpsim::sim {

std::uint32_t Interpreter::live_threads(Cta const& cta) const {
    std::uint32_t count = 0;
    for (Warp const& warp : cta.warps) count += static_cast<std::uint32_t>(std::popcount(warp.live()));
    return count;
}

/// True when the current group goes on at once (an arrive, or the last to come).
bool Interpreter::barrier(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    Group& group = current(warp);
    Barrier const& b = group.frame->function->barriers[op.target];
    int const first = std::countr_zero(mask);
    std::uint32_t const id = isa::column<std::uint32_t>(warp.bases, b.id)[first];
    if (id >= cta.barriers.size())
        fault(cta, warp, op, first, FaultKind::barrier_misuse,
              "barrier " + std::to_string(id) + " does not exist: there are 16");
    BarrierState& state = cta.barriers[id];
    std::uint32_t const count = b.has_count ? isa::column<std::uint32_t>(warp.bases, b.count)[first] : 0;
    if (b.has_count && (count == 0 || count % 32 != 0)) {
        fault(cta, warp, op, first, FaultKind::barrier_misuse,
              "barrier for " + std::to_string(count) + " threads: the count must be a multiple of 32");
    }
    if (b.is_aligned) check_aligned(cta, warp, op, mask);
    bool const in_use = (cta.barriers_in_use >> id & 1) != 0;
    // Without a count it is for all threads of the CTA, which a count may say too.
    auto const is_all = [&](std::uint32_t n) { return n == 0 || n == (launch_.threads() + 31) / 32 * 32; };
    if (in_use && state.count != count && !(is_all(state.count) && is_all(count))) {
        fault(cta, warp, op, first, FaultKind::barrier_misuse,
              "barrier " + std::to_string(id) + " for " + std::to_string(count) +
                  " threads, while others wait in it for " + std::to_string(state.count));
    }
    if (!in_use) {
        cta.barriers_in_use |= 1u << id;
        state.count = count;
        state.earlier = 0;
        state.popc = 0;
        state.all = true;
        state.any = false;
        state.arrived.assign(cta.warps.size(), 0);
    }
    LaneMask& arrived = state.arrived[warp.index];
    if ((arrived & mask) != 0) {
        // These came before and did not wait: what their warp has brought counts, and it begins to come again.
        state.earlier += weight(warp, arrived);
        arrived = 0;
    }
    arrived |= mask;
    if (b.kind >= Barrier::Kind::reduce_popc) {
        LaneMask values = *isa::column<LaneMask>(warp.bases, b.source);
        if (b.source_negated) values = ~values;
        state.popc += static_cast<std::uint32_t>(std::popcount(values & mask));
        state.all &= (mask & ~values) == 0;
        state.any |= (mask & values) != 0;
    }
    ++cta.changes;
    sinks_.tell<BarrierArrival>([&] {
        return BarrierArrival{site(cta, warp, op), BarrierScope::cta, id, mask, b.kind != Barrier::Kind::arrive};
    });
    if (b.kind == Barrier::Kind::arrive) {
        // The arriver does not wait; it must be past the barrier before the others are woken.
        check_barriers(cta);
        return true;
    }
    block(warp, mask, Group::State::in_barrier, id);
    check_barriers(cta);
    return false;
}

void Interpreter::block(Warp& warp, LaneMask mask, Group::State state, std::uint32_t barrier_id) {
    Group& group = current(warp);
    LaneMask const others = group.lanes & ~mask;
    std::uint32_t const next = group.pc + 1;
    Frame* const frame = group.frame;
    group.lanes = mask;
    group.state = state;
    group.barrier = barrier_id;
    if (others == 0) return;
    account_passing(*frame->function, next - 1, others);
    add_group(warp, others, next, frame);
    select(warp, static_cast<std::uint32_t>(warp.groups.size()) - 1);
}

void Interpreter::check_aligned(Cta const& cta, Warp const& warp, Op const& op, LaneMask mask) const {
    Group const& group = warp.groups[warp.current];
    LaneMask const held_back = group.lanes & ~mask;
    if (held_back != 0) {
        fault(cta, warp, op, std::countr_zero(mask), FaultKind::barrier_misuse,
              "divergent barrier: all lanes of a warp must execute this one, and " + lanes_text(held_back) +
                  " of " + lanes_text(group.lanes) + " are held back by its guard");
    }
    LaneMask elsewhere = warp.live() & ~mask;
    // Lanes that have only to end are as good as gone.
    for (Convergence const& c : warp.convergences)
        elsewhere &= only_ends(*c.frame, c.point) ? ~c.arrived : isa::all_lanes;
    for (Group const& other : warp.groups)
        elsewhere &= only_ends(*other.frame, other.pc) ? ~other.lanes : isa::all_lanes;
    if (launch_.control_flow == ControlFlow::stack && elsewhere != 0) {
        fault(cta, warp, op, std::countr_zero(mask), FaultKind::barrier_misuse,
              "divergent barrier: all lanes of a warp must execute this one, and " + lanes_text(elsewhere) +
                  " are elsewhere");
    }
    for (Group const& other : warp.groups) {
        bool const waits =
            other.state == Group::State::in_barrier || other.state == Group::State::in_cluster_barrier;
        if (!waits) continue;
        FunctionPlan const& function = *other.frame->function;
        if (&function.ops[other.pc] == &op) continue;
        fault(cta, warp, op, std::countr_zero(mask), FaultKind::barrier_misuse,
              "divergent barrier: all lanes of a warp must execute this one, and " + lanes_text(other.lanes) +
                  " wait in another, at " + line_of(*launch_.plan.module, function, other.pc));
    }
}

/// Threads that a warp brings to a barrier with a count. Such barriers work by warps: one that came whole brings
/// 32, however many it has, and stays counted when it exits.
std::uint32_t Interpreter::weight(Warp const& warp, LaneMask arrived) {
    bool const whole = arrived != 0 && (warp.live() & ~arrived) == 0;
    return whole ? 32u : static_cast<std::uint32_t>(std::popcount(arrived));
}

std::uint32_t Interpreter::arrived_threads(Cta const& cta, BarrierState const& state) {
    std::uint32_t arrived = state.earlier;
    for (std::size_t w = 0; w < cta.warps.size(); ++w) {
        LaneMask const here = state.arrived[w];
        arrived += state.count != 0 ? weight(cta.warps[w], here)
                                    : static_cast<std::uint32_t>(std::popcount(here & cta.warps[w].live()));
    }
    return arrived;
}

/// A barrier with a count lets go too when all that it still waits for are threads that have exited: everybody
/// else waits in it, and with what the exited ones would have brought it would be complete (PTX ISA, "exit").
bool Interpreter::misses_exited_only(Cta const& cta, std::uint32_t id) {
    BarrierState const& state = cta.barriers[id];
    bool any_exited = false;
    for (Warp const& warp : cta.warps) {
        LaneMask waiting = 0;
        for (Group const& group : warp.groups) {
            if (group.state == Group::State::in_barrier && group.barrier == id) waiting |= group.lanes;
        }
        if ((warp.live() & ~waiting) != 0) return false;
        any_exited |= warp.live() == 0;
    }
    return any_exited && state.earlier + 32 * cta.warps.size() >= state.count;
}

void Interpreter::check_barriers(Cta& cta) {
    for (std::uint32_t bits = cta.barriers_in_use; bits != 0; bits &= bits - 1) {
        auto const id = static_cast<std::uint32_t>(std::countr_zero(bits));
        BarrierState const& state = cta.barriers[id];
        if (arrived_threads(cta, state) >= (state.count != 0 ? state.count : live_threads(cta)) ||
            (state.count != 0 && misses_exited_only(cta, id))) {
            complete_barrier(cta, id);
        }
    }
}

void Interpreter::complete_barrier(Cta& cta, std::uint32_t id) {
    BarrierState& state = cta.barriers[id];
    cta.barriers_in_use &= ~(1u << id);
    ++cta.changes;
    sinks_.tell<BarrierRelease>([&] { return BarrierRelease{cta, BarrierScope::cta, id, cycle()}; });
    for (Warp& warp : cta.warps) {
        for (Group& group : warp.groups) {
            if (group.state != Group::State::in_barrier || group.barrier != id) continue;
            FunctionPlan const& function = *group.frame->function;
            Barrier const& b = function.barriers[function.ops[group.pc].target];
            if (b.kind >= Barrier::Kind::reduce_popc && b.result != discard) {
                std::byte* const d = group.frame->registers.get() + b.result;
                if (b.kind == Barrier::Kind::reduce_popc) {
                    auto* const lanes = reinterpret_cast<std::uint32_t*>(d);
                    for (LaneMask m = group.lanes; m != 0; m &= m - 1) lanes[std::countr_zero(m)] = state.popc;
                } else {
                    auto* const bits = reinterpret_cast<LaneMask*>(d);
                    bool const value = b.kind == Barrier::Kind::reduce_and ? state.all : state.any;
                    *bits = value ? *bits | group.lanes : *bits & ~group.lanes;
                }
            }
            account(function, group.pc, group.pc + 1, group.lanes, warp);
            group.state = Group::State::runnable;
            ++group.pc;
        }
    }
}

}  // namespace warpsim::sim
