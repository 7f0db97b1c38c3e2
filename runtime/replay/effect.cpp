#include "runtime/replay/effect.hpp"

#include "runtime/replay/program.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::replay {

namespace {

// Of a thread's local memory, as far as it is told apart.
constexpr std::uint64_t local_window = std::uint64_t{1} << 19;

bool is_access(sim::OpKind kind) {
    return kind == sim::OpKind::load || kind == sim::OpKind::store || kind == sim::OpKind::atomic;
}

sim::SpaceKind space_of(TracedOp const& op, std::uint64_t address) {
    KernelTrace const& trace = op.program->trace();
    if (!op.is_generic) return op.access.space;
    auto const is_in = [&](std::uint64_t base, std::uint64_t size) {
        return base != 0 && address >= base && address - base < size;
    };
    if (is_in(trace.shared_base, window_bytes)) return sim::SpaceKind::shared;
    return is_in(trace.local_base, window_bytes) ? sim::SpaceKind::local : sim::SpaceKind::global;
}

/// As the program gave them, without the base of a window, and aligned as hardware demands it.
std::uint64_t address_in(sim::SpaceKind space, std::uint64_t address, std::uint32_t bytes, std::uint64_t moved) {
    address &= ~std::uint64_t{bytes - 1};
    if (space == sim::SpaceKind::shared) return address % window_bytes;
    return space == sim::SpaceKind::local ? address % local_window : address + moved;
}

void access(TracedOp const& op, Step const& step, sim::WarpInstruction& i) {
    std::uint32_t const mask = step.mask & op.lanes;
    if (mask == 0 || op.bytes == 0) return;
    std::uint64_t const* const given = op.program->addresses(step);
    sim::SpaceKind const space = space_of(op, given[0]);
    std::uint64_t const moved = i.launch().memory.moved_by();
    sim::Addresses a;
    a.mask = mask;
    a.bytes = op.bytes;
    a.low = UINT64_MAX;
    int n = 0;
    for (std::uint32_t m = step.mask; m != 0; m &= m - 1, ++n) {
        if ((mask & m & (~m + 1)) == 0) continue;
        std::uint64_t const address = address_in(space, given[n], op.bytes, moved);
        a.lane[std::countr_zero(m)] = address;
        a.low = std::min(a.low, address);
        a.past_high = std::max(a.past_high, address + op.bytes);
        a.misaligned |= address;
    }
    i.parts.execution.model->access(op.planned, op.access, space, a);
}

}  // namespace

/// A step is as many as the warp has executed before: nothing else is kept.
sim::Flow follow_trace(sim::WarpInstruction& i) {
    TracedOp const& op = i.function.details_of<TracedOp>(i.op);
    i.stop_here();
    std::vector<Step> const& steps = op.program->steps(i.cta.linear, i.warp.index);
    Step const& step = steps[i.warp.executed];
    Step const& next = steps[i.warp.executed + 1];
    if (is_access(op.planned.kind)) {
        bool const is_constant = op.access.space == sim::SpaceKind::constant;
        if (!is_constant) {
            access(op, step, i);
        } else {
            // Which constant it is the trace does not say: each instruction has one of its own.
            sim::Addresses a;
            a.mask = i.mask;
            a.bytes = 4;
            a.pattern = sim::Pattern::uniform;
            a.low = a.lane_zero = std::uint64_t{step.instruction} * 4;
            a.past_high = a.low + 4;
            i.parts.execution.model->access(op.planned, op.access, sim::SpaceKind::constant, a);
        }
    }
    if (op.nanoseconds != 0 && step.mask != 0) i.parts.execution.model->sleeps(op.nanoseconds);
    sim::WarpSplit& split = i.warp.running();
    if (step.mask == 0)
        i.parts.execution.counters.guarded_off[i.function.counter_base + split.pc] += sim::count_lanes(i.mask);
    i.stop_behind();
    ++i.cta.changes;  // it goes on, though no register changes
    split.pc = op.program->op_of(next.instruction);
    split.lanes =
        next.mask != 0 && !op.program->is_for_all(next.instruction) ? next.mask & i.warp.live() : i.warp.live();
    if (split.lanes == 0) split.lanes = i.warp.live();
    return sim::Flow::regroup;
}

}  // namespace warpsim::replay
