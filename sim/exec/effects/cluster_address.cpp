// mapa and getctarank: addresses of shared memory in a cluster.
#include "sim/exec/effect_rule.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;

void plan_rank(FunctionPlanner& p, Operands operands) {
    bool const is_64 = column_log2(p.form().types[0]) == 3;
    bool const gives_address = p.row().effect == isa::Effect::map_address;
    Slot const address = p.source(operands[1], is_64 ? 3 : 2);
    Slot const rank = gives_address ? p.source(operands[2], 2) : 0;
    Slot const d = p.destination(operands[0], gives_address && is_64 ? 3 : 2);
    Op& op = p.emit_effect();
    op.operands.slot[0] = d;
    op.operands.slot[1] = address;
    op.operands.slot[2] = rank;
    op.operands.immediate = (is_64 ? 1u : 0u) | (p.form().space == isa::StateSpace::generic ? 2u : 0u);
}

Flow map_ranks(WarpInstruction& i) {
    i.parts.cluster_memory.map_ranks(i.cta, i.warp, i.op, i.mask);
    return Flow::next;
}

}  // namespace

EffectRules effects::cluster_address_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::map_address, plan_rank, map_ranks},
        {Effect::cta_rank, plan_rank, map_ranks},
    };
    return rules;
}

}  // namespace warpsim::sim
