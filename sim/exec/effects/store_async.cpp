// st.async and red.async: values of registers, delivered to shared memory later.
#include "sim/exec/effect_rule.hpp"

#include "sim/exec/plan_asynchronous.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using Kind = ir::Operand::Kind;
using Async = Asynchronous::Kind;

void plan_async_store(FunctionPlanner& p, Operands operands) {
    Asynchronous a;
    a.kind = Async::store;
    if (p.row().effect == isa::Effect::reduce_async) choose_reduction(p, a);
    a.element_bytes = static_cast<std::uint32_t>(isa::width(p.form().types[0])) / 8;
    a.to_global = p.form().has(Modifier::release);
    bool const own = p.form().has(Modifier::shared_cta);
    a.target = p.place(operands[0], own);
    bool const is_vector = operands[1].kind == Kind::vector;
    a.elements = is_vector ? operands[1].count : 1;
    int const log2 = column_log2(p.form().types[0]);
    for (std::size_t i = 0; i < a.elements; ++i) a.data[i] = p.source(operands[(is_vector ? 2 : 1) + i], log2);
    if (!a.to_global) a.barrier = p.place(operands.back(), own);
    emit_asynchronous(p, a);
}

}  // namespace

EffectRules effects::store_async_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::store_async, plan_async_store, AsyncOperations::carry_out},
        {Effect::reduce_async, plan_async_store, AsyncOperations::carry_out},
    };
    return rules;
}

}  // namespace warpsim::sim
