// The functional plan as text: what `warpsim dump --what plan` shows.
#include "frontend/isa/effect.hpp"
#include "sim/exec/plan.hpp"

#include "sim/exec/clock.hpp"
#include "sim/exec/runtime_calls.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace warpsim::sim {

namespace {

std::string_view kind_name(Op const& op) {
    switch (op.kind) {
        case OpKind::lanes: return "lanes";
        case OpKind::lanes_guarded: return "lanes, guarded";
        case OpKind::load: return "load";
        case OpKind::store: return "store";
        case OpKind::atomic: return "atomic";
        case OpKind::branch: return "branch";
        case OpKind::branch_indexed: return "branch, indexed";
        case OpKind::converge: return "converge";
        case OpKind::call: return "call";
        case OpKind::ret: return "ret";
        case OpKind::exit: return "exit";
        case OpKind::effect:
        case OpKind::report:
            return op.carry_out == read_clock                ? "clock"
                   : op.carry_out == RuntimeCalls::carry_out ? "runtime call"
                                                             : isa::name(op.effect);
        case OpKind::nothing: return "nothing";
    }
    return "";
}

/// "f+128": byte 128 behind the frame's base; p, c and w for plan, CTA and warp.
std::string slot_text(Slot slot) {
    static constexpr char bases[] = "fpcw";
    return std::string(1, bases[slot & 3]) + "+" + std::to_string(slot & ~3);
}

std::string op_text(KernelPlan const& plan, FunctionPlan const& function, std::size_t index) {
    Op const& op = function.ops[index];
    char head[64];
    std::snprintf(head, sizeof head, "%5zu  %-16s", index, std::string(kind_name(op)).c_str());
    std::string text = head;
    if (op.kind == OpKind::lanes || op.kind == OpKind::lanes_guarded) {
        text += slot_text(op.operands.slot[0]) + " <-";
        for (int i = 1; i < 6 && (i == 1 || op.operands.slot[i] != 0); ++i)
            text += " " + slot_text(op.operands.slot[i]);
    } else if (op.kind == OpKind::branch) {
        text += "to " + std::to_string(op.target);
        if (op.reconverge != UINT32_MAX) text += ", meet at " + std::to_string(op.reconverge);
    }
    if (op.guard != 0 && (op.guard & 3) == 0)
        text += std::string(" if ") + (op.guard_negated ? "!" : "") + slot_text(op.guard);
    text.resize(std::max<std::size_t>(text.size() + 2, 64), ' ');
    if (op.kind == OpKind::converge) return text + "// reconvergence point";
    auto const& instruction = function.function->instructions[op.instruction];
    if (!op.is_primary) return text + "//   (continued)";
    return text + "// " + plan.module->written(instruction);
}

}  // namespace

std::string print_plan(KernelPlan const& plan) {
    std::string text;
    for (FunctionPlan const& function : plan.functions) {
        text += (function.function->is_entry ? "kernel " : "function ") + function.function->name + ": " +
                std::to_string(function.ops.size()) + " ops, frame " + std::to_string(function.frame_bytes) +
                " bytes a warp";
        if (function.local_bytes != 0)
            text += ", local " + std::to_string(function.local_bytes) + " bytes a thread";
        text += "\n";
        for (std::size_t i = 0; i < function.ops.size(); ++i) text += op_text(plan, function, i) + "\n";
    }
    text += std::to_string(plan.constants.size()) + " bytes of parameters and constants, " +
            std::to_string(plan.shared_bytes) + " bytes of static shared memory\n";
    return text;
}

}  // namespace warpsim::sim
