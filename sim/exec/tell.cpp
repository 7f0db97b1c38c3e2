// What happens, for those who listen.
#include "sim/exec/interpreter.hpp"

namespace warpsim::sim {

Site Interpreter::site(Cta const& cta, Warp const& warp, Op const& op) const {
    return {cta, warp, *warp.groups[warp.current].frame, op, cycle()};
}

void Interpreter::tell_instruction(Cta const& cta, Warp const& warp, Op const& op, LaneMask active,
                                   LaneMask mask) const {
    if (is_on_path_ && mask == 0) return;
    sinks_.tell<InstructionEvent>([&] {
        return InstructionEvent{site(cta, warp, op), is_on_path_ ? mask : active, mask};
    });
}

void Interpreter::tell_fence(Cta const& cta, Warp const& warp, Op const& op, LaneMask mask) const {
    sinks_.tell<FenceEvent>([&] {
        ir::Function const& function = *warp.groups[warp.current].frame->function->function;
        ir::Form const& form = launch_.plan.module->forms[function.instructions[op.instruction].form];
        return FenceEvent{site(cta, warp, op), mask, form.order, form.scope};
    });
}

void Interpreter::tell_start(Cta const& cta) const {
    sinks_.tell<CtaStart>([&] { return CtaStart{cta, cycle()}; });
}

void Interpreter::tell_cluster_release(Cta const& cta) const {
    sinks_.tell<BarrierRelease>([&] { return BarrierRelease{cta, BarrierScope::cluster, 0, cycle()}; });
}

void Interpreter::tell_mbarrier(Bytes const& place, MbarrierOperation operation, std::uint32_t count,
                                Culprit const& by, bool passed, bool ends_phase, std::uint32_t parity) const {
    MemoryPlace const where{place.cta, place.at};
    sinks_.tell<MbarrierEvent>(
        [&] { return MbarrierEvent{where, operation, count, by.cta, by.thread, passed, cycle()}; });
    if (ends_phase) sinks_.tell<MbarrierRelease>([&] { return MbarrierRelease{where, parity, cycle()}; });
}

void Interpreter::tell_issue(Issue const& by, UnderWay const& w) const {
    bool const is_of_registers = w.has_read && w.from.cta == nullptr && w.from.at == 0;
    sinks_.tell<CopyIssue>([&] {
        return CopyIssue{site(by.cta, by.warp, by.op),
                         by.lane,
                         {w.from.cta, w.from.at},
                         {w.to.cta, w.to.at},
                         w.bytes,
                         w.source_bytes,
                         w.is_bulk,
                         is_of_registers};
    });
}

void Interpreter::tell_arrival(UnderWay const& w, Culprit const& by) const {
    sinks_.tell<CopyArrival>([&] {
        return CopyArrival{
            {w.from.cta, w.from.at}, {w.to.cta, w.to.at}, w.bytes, by.cta, by.thread, w.is_bulk, cycle()};
    });
}

}  // namespace warpsim::sim
