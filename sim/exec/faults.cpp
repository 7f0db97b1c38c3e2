// Reports of faults: which thread, at which instruction, called from where.
#include "sim/exec/faults.hpp"
#include "sim/demangled.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::sim {

Culprit Faults::culprit(Issue const& by) const {
    std::uint32_t const function = by.warp.running_frame().function->index;
    return {by.cta.id, 32 * by.warp.index + static_cast<std::uint32_t>(by.lane), function, by.op.instruction};
}

Fault Faults::fault_of(Culprit const& by, std::string what) const {
    Fault fault;
    fault.what = std::move(what);
    fault.has_place = true;
    fault.cta = by.cta;
    fault.thread = {by.thread % launch_.block[0], by.thread / launch_.block[0] % launch_.block[1],
                    by.thread / launch_.block[0] / launch_.block[1]};
    fault.warp = by.thread / 32;
    fault.lane = by.thread % 32;
    fault.function = by.function;
    fault.instruction = by.instruction;
    return fault;
}

Fault Faults::blame(Cta const& cta, Warp const& warp, Op const& op, int lane) const {
    Fault fault;
    fault.has_place = true;
    fault.cta = cta.id;
    std::uint32_t const t = 32 * warp.index + static_cast<std::uint32_t>(lane);
    fault.thread = {t % launch_.block[0], t / launch_.block[0] % launch_.block[1],
                    t / launch_.block[0] / launch_.block[1]};
    fault.warp = warp.index;
    fault.lane = static_cast<std::uint32_t>(lane);
    if (warp.current < warp.splits.size()) fault.function = warp.running_frame().function->index;
    fault.instruction = op.instruction;
    return fault;
}

void Faults::raise(Cta const& cta, Warp const& warp, Op const& op, int lane, FaultKind kind, std::string what,
                   std::string details) const {
    Fault fault = blame(cta, warp, op, lane);
    fault.kind = kind;
    fault.what = std::move(what);
    fault.details = details.empty() ? call_trace(warp) : std::move(details);
    throw fault;
}

std::string line_of(ir::Module const& module, FunctionPlan const& function, std::uint32_t pc) {
    Op const& op = function.ops[std::min<std::size_t>(pc, function.ops.size() - 1)];
    ir::Instruction const& instruction = function.function->instructions[op.instruction];
    std::string const source = module.source_place(instruction);
    return module.place(instruction) + ":  " + module.written(instruction) +
           (source.empty() ? "" : "      (" + source + ")");
}

std::string lanes_text(LaneMask lanes) {
    if (std::popcount(lanes) == 32) return "all lanes";
    std::string text = std::popcount(lanes) == 1 ? "lane " : "lanes ";
    bool first = true;
    for (int i = 0; i < 32; ++i) {
        if ((lanes >> i & 1) == 0) continue;
        int last = i;
        while (last < 31 && (lanes >> (last + 1) & 1) != 0) ++last;
        text += (first ? "" : ",") + std::to_string(i) + (last > i ? "-" + std::to_string(last) : "");
        first = false;
        i = last;
    }
    return text;
}

void Faults::check_uniform(Cta const& cta, Warp const& warp, Op const& op, LaneMask some, LaneMask others,
                           std::string_view what) const {
    ir::Module const& module = *launch_.plan.module;
    FunctionPlan const& function = *warp.running_frame().function;
    if (!module.forms[function.function->instructions[op.instruction].form].uniform) return;
    raise(cta, warp, op, std::countr_zero(some), FaultKind::broken_promise,
          "broken promise of .uni: " + lanes_text(some) + " " + std::string(what) + ", " + lanes_text(others) +
              " do" + (std::popcount(others) == 1 ? "es" : "") + " not");
}

namespace {

Fault deadlock(std::string const& why, std::string details) {
    Fault fault;
    fault.kind = FaultKind::deadlock;
    fault.what = "deadlock: " + why;
    fault.details = std::move(details);
    return fault;
}

}  // namespace

Fault blocked(LaunchContext const& launch, std::string details) {
    return deadlock(launch.ctas_per_cluster() > 1 ? "no thread of the cluster can go on"
                                                  : "no thread of the block can go on",
                    std::move(details));
}

Fault livelock(LaunchContext const& launch, std::string details) {
    return deadlock(launch.control_flow == ControlFlow::stack
                        ? "threads run in circles and wait for others that cannot go on (with the reconvergence "
                          "stack, lanes of a warp "
                          "cannot wait for each other)"
                        : "all threads run in circles and nothing changes any more",
                    std::move(details));
}

std::string Faults::call_trace(Warp const& warp) const {
    std::string trace;
    if (warp.current >= warp.splits.size()) return trace;
    ir::Module const& module = *launch_.plan.module;
    constexpr std::uint32_t most_inner = 10, most_outer = 2;
    std::uint32_t const deepest = warp.running_frame().depth;
    for (Frame const* f = &warp.running_frame(); !f->is_kernel(); f = &warp.frame(f->parent)) {
        if (deepest - f->depth >= most_inner && f->depth > most_outer) {
            if (deepest - f->depth == most_inner)
                trace += "  ... and " + std::to_string(f->depth - most_outer) + " calls more\n";
            continue;
        }
        FunctionPlan const& caller = *warp.frame(f->parent).function;
        ir::Instruction const& call = caller.function->instructions[caller.ops[f->return_op - 1].instruction];
        std::string const source = module.source_place(call);
        trace += "  in " + demangled(f->function->function->name) + ", called from " +
                 demangled(caller.function->name) + " at " + module.place(call) +
                 (source.empty() ? "" : " (" + source + ")") + "\n";
    }
    if (!trace.empty() && trace.back() == '\n') trace.pop_back();
    return trace;
}

}  // namespace warpsim::sim
