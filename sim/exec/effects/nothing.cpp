// Instructions that do nothing here, and those that are not executed.
#include "sim/exec/effect_rule.hpp"

#include <string>

namespace warpsim::sim {

namespace {

using isa::Effect;

void plan_nothing(FunctionPlanner& p, Operands) {
    // Grids follow each other here, so there is nothing to wait for. Who looks for races hears of a weak fence.
    if (p.form().operation == isa::Operation::griddepcontrol) p.emit_effect().kind = OpKind::report;
    else p.emit(OpKind::nothing);
}

Flow tell_grid_control(WarpInstruction& i) {
    i.sinks().tell<FenceEvent>([&] { return FenceEvent{i.site(), i.mask, isa::Order::weak, isa::Scope::none}; });
    return Flow::next;
}

void plan_refusal(FunctionPlanner& p, Operands) {
    p.refuse(std::string(p.row().syntax));
    p.emit(OpKind::nothing);
}

}  // namespace

EffectRules effects::nothing_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::nothing, plan_nothing, tell_grid_control},
        {Effect::not_executed, plan_refusal},
    };
    return rules;
}

}  // namespace warpsim::sim
