// tensormap.cp_fenceproxy.
#include "sim/exec/effect_rule.hpp"

#include "sim/exec/plan_asynchronous.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;
using Async = Asynchronous::Kind;

void plan_map_copy(FunctionPlanner& p, Operands operands) {
    Asynchronous a;
    a.kind = Async::copy_map;
    a.target = p.place(operands[0]);
    a.source = p.place(operands[1], true);
    a.target.is_generic = a.source.is_generic = false;
    a.bytes = static_cast<std::uint32_t>(operands[2].value);
    emit_asynchronous(p, a);
}

}  // namespace

EffectRules effects::copy_tensormap_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::copy_tensormap, plan_map_copy, AsyncOperations::carry_out},
    };
    return rules;
}

}  // namespace warpsim::sim
