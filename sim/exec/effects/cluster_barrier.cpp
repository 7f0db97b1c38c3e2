// barrier.cluster: arriving and waiting are two instructions.
#include "sim/exec/effect_rule.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;

void plan_cluster_barrier(FunctionPlanner& p, Operands) {
    p.emit_effect().operands.immediate = p.form().has(Modifier::aligned);
}

Flow arrive_in_cluster(WarpInstruction& i) {
    i.stop_behind();
    i.parts.barriers.cluster_arrive(i.cta, i.warp, i.op, i.mask);
    return Flow::regroup;
}

Flow wait(WarpInstruction& i) {
    i.stop_here();
    if (i.parts.barriers.cluster_wait(i.cta, i.warp, i.op, i.mask)) i.pass();
    return Flow::regroup;
}

}  // namespace

EffectRules effects::cluster_barrier_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::cluster_arrive, plan_cluster_barrier, arrive_in_cluster},
        {Effect::cluster_wait, plan_cluster_barrier, wait},
    };
    return rules;
}

}  // namespace warpsim::sim
