// mbarrier.*: objects in shared memory that count arrivals and bytes.
#include "sim/exec/effect_rule.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/exec/plan_asynchronous.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Operation;
using Kind = ir::Operand::Kind;
using Async = Asynchronous::Kind;

Async mbarrier_kind(Operation operation) {
    switch (operation) {
        case Operation::mbarrier_init: return Async::initialize;
        case Operation::mbarrier_inval: return Async::invalidate;
        case Operation::mbarrier_expect_tx: return Async::expect;
        case Operation::mbarrier_complete_tx: return Async::complete;
        case Operation::mbarrier_test_wait:
        case Operation::mbarrier_test_wait_parity:
        case Operation::mbarrier_try_wait:
        case Operation::mbarrier_try_wait_parity: return Async::test;
        case Operation::mbarrier_pending_count: return Async::pending_count;
        case Operation::mbarrier_check_layout: return Async::check_layout;
        default: return Async::arrive;
    }
}

void plan_mbarrier(FunctionPlanner& p, Operands operands) {
    Asynchronous a;
    a.kind = mbarrier_kind(p.form().operation);
    a.drops = p.form().has(Modifier::arrive_drop);
    a.expects = p.form().has(Modifier::expect_tx);
    a.must_not_complete = p.form().has(Modifier::noComplete);
    a.by_parity = p.form().has(Modifier::parity);
    a.may_suspend = p.form().has(Modifier::try_wait);
    a.with_report = p.form().has(Modifier::layout_v1);
    if (a.kind == Async::pending_count) {
        a.state = p.source(operands[1], 3);
        a.result = p.destination(operands[0], 2);
        return emit_asynchronous(p, a);
    }
    bool const tells = a.kind == Async::test || a.kind == Async::check_layout;
    bool const has_result = a.kind == Async::arrive || tells;
    // A test may also give a report: a predicate, then a value.
    int const results = has_result ? ir::written_operands(p.module(), p.function(), p.instruction()) : 0;
    auto const at = static_cast<std::size_t>(results);
    // Bytes are expected and completed at generic addresses in the whole cluster, arrivals only at addresses that
    // say so.
    bool const counts_bytes = a.kind == Async::expect || a.kind == Async::complete;
    bool const in_cluster = p.form().space == isa::StateSpace::shared_cluster ||
                            (counts_bytes && p.form().space == isa::StateSpace::generic);
    a.barrier = p.place(operands[at], !in_cluster);
    a.has_count = operands.size() > at + 1 && operands[at + 1].kind != Kind::sink;
    if (a.has_count) {
        bool const is_state = a.kind == Async::test && !a.by_parity;
        (is_state ? a.state : a.count) = p.source(operands[at + 1], is_state ? 3 : 2);
    }
    if (has_result && operands[0].kind != Kind::sink) a.result = p.destination(operands[0], tells ? 0 : 3);
    for (std::size_t i = 1; i < at; ++i)
        if (operands[i].kind != Kind::sink) a.report[i - 1] = p.destination(operands[i], i == 1 ? 0 : 1);
    emit_asynchronous(p, a);
}

}  // namespace

EffectRules effects::mbarrier_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::mbarrier, plan_mbarrier, AsyncOperations::carry_out},
    };
    return rules;
}

}  // namespace warpsim::sim
