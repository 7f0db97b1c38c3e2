// cp.async.bulk and cp.reduce.async.bulk, also of tensors.
#include "sim/exec/effect_rule.hpp"

#include "sim/exec/plan_asynchronous.hpp"

#include <algorithm>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Operation;
using Async = Asynchronous::Kind;

/// The first of two spaces is that of the target.
bool is_to_global(ir::Form const& form) {
    auto const at = [&](Modifier m) { return std::find(form.modifiers.begin(), form.modifiers.end(), m); };
    return std::min(at(Modifier::shared_cta), at(Modifier::shared_cluster)) > at(Modifier::global);
}

void plan_bulk_copy(FunctionPlanner& p, Operands operands) {
    if (p.form().has(Modifier::tensor)) return plan_tensor_copy(p, operands);
    Asynchronous a;
    if (p.form().operation == Operation::cp_async_bulk_prefetch) {
        a.kind = Async::prefetch;
        return emit_asynchronous(p, a);
    }
    a.kind = Async::bulk;
    a.to_global = is_to_global(p.form());
    a.from_shared = a.to_global || !p.form().has(Modifier::global);
    bool const own = !a.to_global && !p.form().has(Modifier::shared_cluster);
    a.target = p.place(operands[0], own);
    a.source = p.place(operands[1], a.from_shared);
    a.count = p.source(operands[2], 2);
    a.ignores_edges = p.form().has(Modifier::ignore_oob);
    if (a.ignores_edges) {
        for (std::size_t i = 0; i < 2; ++i) a.edges[i] = p.source(operands[3 + i], 2);
    }
    if (!a.to_global) a.barrier = p.place(operands[a.ignores_edges ? 5u : 3u], own);
    a.is_multicast = p.form().has(Modifier::multicast_cluster);
    a.has_mask = p.form().has(Modifier::cp_mask);
    if (a.is_multicast) a.mask = p.source(operands[4], 1);
    if (a.has_mask) a.mask = p.source(operands.back(), 1);
    Operation const operation = p.form().operation;
    if (operation == Operation::cp_reduce_async_bulk || operation == Operation::multimem_cp_reduce_async_bulk)
        choose_reduction(p, a);
    emit_asynchronous(p, a);
}

}  // namespace

EffectRules effects::copy_bulk_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::copy_bulk, plan_bulk_copy, AsyncOperations::carry_out},
    };
    return rules;
}

}  // namespace warpsim::sim
