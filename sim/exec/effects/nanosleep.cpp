// nanosleep: time passes, and others may run first.
#include "sim/exec/effect_rule.hpp"

#include <algorithm>
#include <bit>

namespace warpsim::sim {

namespace {

using isa::Effect;

void plan_sleep(FunctionPlanner& p, Operands operands) {
    Slot const duration = p.source(operands[0], 2);
    p.emit_effect().operands.slot[0] = duration;
}

std::uint32_t longest(std::uint32_t const* values, LaneMask lanes) {
    std::uint32_t most = 0;
    for (; lanes != 0; lanes &= lanes - 1) most = std::max(most, values[std::countr_zero(lanes)]);
    return most;
}

Flow sleep(WarpInstruction& i) {
    if (MemoryModel* const model = i.parts.execution.model)
        model->sleeps(longest(isa::column<std::uint32_t>(i.warp.bases, i.op.operands.slot[0]), i.mask));
    i.stop_behind();
    // Sleeping never counts as being stuck.
    ++i.cta.changes;
    ++i.cta.looked_at_time;
    if (i.launch().control_flow == ControlFlow::independent)
        i.parts.divergence.release_impatient(i.cta, i.warp, true);
    return Flow::give_way;
}

}  // namespace

EffectRules effects::nanosleep_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::nanosleep, plan_sleep, sleep},
    };
    return rules;
}

}  // namespace warpsim::sim
