// Branches, whose ops the loop executes itself.
#include "sim/exec/effect_rule.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;

void plan_branch(FunctionPlanner& p, Operands operands) {
    Op& op = p.emit(OpKind::branch);
    op.target = operands[0].index;  // an instruction until resolve_labels()
}

void plan_branch_indexed(FunctionPlanner& p, Operands operands) {
    Slot const index = p.source(operands[0], 2);
    Op& op = p.emit(OpKind::branch_indexed);
    op.operands.slot[1] = index;
    op.target = static_cast<std::uint32_t>(p.plan().branch_lists.size());
    p.plan().branch_lists.push_back(p.function().branch_targets[operands[1].index]);
}

}  // namespace

EffectRules effects::branch_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::branch, plan_branch},
        {Effect::branch_indexed, plan_branch_indexed},
    };
    return rules;
}

}  // namespace warpsim::sim
