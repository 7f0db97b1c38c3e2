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
    if (id >= cta.barriers.size()) fault(cta, warp, op, first, "barrier " + std::to_string(id) + " does not exist: there are 16");
    BarrierState& state = cta.barriers[id];
    std::uint32_t const count = b.has_count ? isa::column<std::uint32_t>(warp.bases, b.count)[first] : 0;
    if (b.has_count && (count == 0 || count % 32 != 0)) {
        fault(cta, warp, op, first, "barrier for " + std::to_string(count) + " threads: the count must be a multiple of 32");
    }
    bool const in_use = (cta.barriers_in_use >> id & 1) != 0;
    if (in_use && state.count != count) {
        fault(cta, warp, op, first, "barrier " + std::to_string(id) + " for " + std::to_string(count) +
                                        " threads, while others wait in it for " + std::to_string(state.count));
    }
    if (!in_use) {
        cta.barriers_in_use |= 1u << id;
        state.count = count;
        state.popc = 0;
        state.all = true;
        state.any = false;
        state.arrived.assign(cta.warps.size(), 0);
    }
    state.arrived[warp.index] |= mask;
    if (b.kind >= Barrier::Kind::reduce_popc) {
        LaneMask values = *isa::column<LaneMask>(warp.bases, b.source);
        if (b.source_negated) values = ~values;
        state.popc += static_cast<std::uint32_t>(std::popcount(values & mask));
        state.all &= (mask & ~values) == 0;
        state.any |= (mask & values) != 0;
    }
    ++cta.changes;
    if (b.kind == Barrier::Kind::arrive) {
        // The arriver does not wait; it must be past the barrier before the others are woken.
        check_barriers(cta);
        return true;
    }
    if (mask != group.lanes) {
        // Lanes whose guard is false pass by.
        LaneMask const others = group.lanes & ~mask;
        std::uint32_t const next = group.pc + 1;
        Frame* const frame = group.frame;
        account_passing(*frame->function, group.pc, others);
        group.lanes = mask;
        group.state = Group::State::in_barrier;
        group.barrier = id;
        add_group(warp, others, next, frame);
        select(warp, static_cast<std::uint32_t>(warp.groups.size()) - 1);
    } else {
        group.state = Group::State::in_barrier;
        group.barrier = id;
    }
    check_barriers(cta);
    return false;
}

void Interpreter::check_barriers(Cta& cta) {
    for (std::uint32_t bits = cta.barriers_in_use; bits != 0; bits &= bits - 1) {
        auto const id = static_cast<std::uint32_t>(std::countr_zero(bits));
        BarrierState const& state = cta.barriers[id];
        std::uint32_t arrived = 0;
        for (std::size_t w = 0; w < cta.warps.size(); ++w) {
            LaneMask const live = cta.warps[w].live();
            LaneMask const here = state.arrived[w] & live;
            // With a count barriers work by warps: one that is here whole counts 32 threads, however many it has.
            bool const whole = state.count != 0 && state.arrived[w] != 0 && here == live;
            arrived += whole ? 32u : static_cast<std::uint32_t>(std::popcount(here));
        }
        if (arrived >= (state.count != 0 ? state.count : live_threads(cta))) complete_barrier(cta, id);
    }
}

void Interpreter::complete_barrier(Cta& cta, std::uint32_t id) {
    BarrierState& state = cta.barriers[id];
    cta.barriers_in_use &= ~(1u << id);
    ++cta.changes;
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
