// st.bulk: every lane zeroes bytes of shared memory, as many as its register says.
#include "sim/exec/effect_rule.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;

void plan_bulk_store(FunctionPlanner& p, Operands operands) {
    // [a], size, 0
    Access access = p.access_to(operands[0], false);
    access.elements = 0;
    access.bytes = 8;
    access.source[0] = p.source(operands[1], 3);
    Op& op = p.emit_effect();
    op.target = static_cast<std::uint32_t>(p.plan().accesses.size());
    p.plan().accesses.push_back(access);
}

Flow store(WarpInstruction& i) {
    i.parts.memory.bulk_store(i.cta, i.warp, i.op, i.mask);
    return Flow::next;
}

}  // namespace

EffectRules effects::bulk_store_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::bulk_store, plan_bulk_store, store},
    };
    return rules;
}

}  // namespace warpsim::sim
