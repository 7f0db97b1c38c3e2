// Instructions that do nothing here, and those that are not executed.
#include "sim/exec/effect_rule.hpp"

#include <string>

namespace warpsim::sim {

namespace {

using isa::Effect;

void plan_nothing(FunctionPlanner& p, Operands) { p.emit(OpKind::nothing); }

void plan_refusal(FunctionPlanner& p, Operands) {
    p.refuse(std::string(p.row().syntax));
    p.emit(OpKind::nothing);
}

}  // namespace

EffectRules effects::nothing_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::nothing, plan_nothing},
        {Effect::not_executed, plan_refusal},
    };
    return rules;
}

}  // namespace warpsim::sim
