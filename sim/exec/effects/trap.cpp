// trap and brkpt: they end the launch.
#include "sim/exec/effect_rule.hpp"

#include <bit>

namespace warpsim::sim {

namespace {

using isa::Effect;

void plan_trap(FunctionPlanner& p, Operands) { p.emit_effect(); }

Flow trap(WarpInstruction& i) {
    i.stop_behind();
    i.fault(std::countr_zero(i.mask), FaultKind::trap, "trap: the program stopped itself");
}

Flow stop_for_debugger(WarpInstruction& i) {
    i.stop_behind();
    i.fault(std::countr_zero(i.mask), FaultKind::breakpoint,
            "breakpoint: brkpt stops a program without a debugger");
}

}  // namespace

EffectRules effects::trap_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::trap, plan_trap, trap},
        {Effect::breakpoint, plan_trap, stop_for_debugger},
    };
    return rules;
}

}  // namespace warpsim::sim
