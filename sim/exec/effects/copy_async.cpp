// cp.async, and the groups of a thread's copies, including bulk copies.
#include "sim/exec/effect_rule.hpp"

#include "sim/exec/plan_asynchronous.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Operation;
using isa::Type;
using Kind = ir::Operand::Kind;
using Async = Asynchronous::Kind;

void plan_copy(FunctionPlanner& p, Operands operands) {
    // [dst], [src], size {, bytes of the source, or whether to ignore it} {, cache-policy}
    Asynchronous a;
    a.kind = Async::copy;
    a.target = p.place(operands[0], true);
    a.source = p.place(operands[1]);
    a.bytes = static_cast<std::uint32_t>(operands[2].value);
    a.past_l1 = p.form().has(Modifier::cg);
    std::size_t const without = p.form().has(Modifier::L2_cache_hint) ? 4 : 3;
    if (operands.size() > without && operands[3].kind != Kind::sink) {
        a.ignores = operands[3].type == Type::pred;
        a.has_count = !a.ignores;
        (a.ignores ? a.mask : a.count) = a.ignores ? p.predicate_source(operands[3]) : p.source(operands[3], 2);
    }
    emit_asynchronous(p, a);
}

void plan_group(FunctionPlanner& p, Operands operands) {
    bool const is_bulk = p.form().has(Modifier::bulk);
    Asynchronous a;
    if (p.row().effect == isa::Effect::commit_copies) {
        a.kind = is_bulk ? Async::bulk_commit : Async::commit;
    } else {
        a.kind = is_bulk ? Async::bulk_wait : Async::wait;
        a.reads_only = p.form().has(Modifier::read);
        a.has_count = p.form().operation != Operation::cp_async_wait_all;
        if (a.has_count) a.bytes = static_cast<std::uint32_t>(operands[0].value);
    }
    emit_asynchronous(p, a);
}

void plan_arrival(FunctionPlanner& p, Operands operands) {
    Asynchronous a;
    a.kind = Async::arrive_after;
    a.counts_itself = !p.form().has(Modifier::noinc);
    a.barrier = p.place(operands[0], true);
    emit_asynchronous(p, a);
}

}  // namespace

EffectRules effects::copy_async_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::copy_async, plan_copy, AsyncOperations::carry_out},
        {Effect::commit_copies, plan_group, AsyncOperations::carry_out},
        {Effect::wait_copies, plan_group, AsyncOperations::carry_out},
        {Effect::arrive_copies, plan_arrival, AsyncOperations::carry_out},
    };
    return rules;
}

}  // namespace warpsim::sim
