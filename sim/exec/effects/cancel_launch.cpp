// clusterlaunchcontrol: keeping a cluster from starting, and reading the answer.
#include "sim/exec/effect_rule.hpp"

#include "sim/exec/plan_asynchronous.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using Kind = ir::Operand::Kind;
using Async = Asynchronous::Kind;

/// Word `immediate` of a response of clusterlaunchcontrol.try_cancel.
void response_word(isa::Bases bases, isa::Operands const& o, LaneMask mask) {
    auto const* const words = isa::column<std::uint32_t>(bases, o.slot[1]);
    auto* const d = isa::column<std::uint32_t>(bases, o.slot[0]);
    for (int lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) != 0) d[lane] = words[4 * static_cast<std::size_t>(lane) + o.immediate];
    }
}

void is_canceled(isa::Bases bases, isa::Operands const& o, LaneMask mask) {
    auto const* const words = isa::column<std::uint32_t>(bases, o.slot[1]);
    LaneMask canceled = 0;
    for (int lane = 0; lane < 32; ++lane) canceled |= static_cast<LaneMask>(words[4 * lane + 3] != 0) << lane;
    auto* const d = isa::column<LaneMask>(bases, o.slot[0]);
    *d = (*d & ~mask) | (canceled & mask);
}

void plan_cancel(FunctionPlanner& p, Operands operands) {
    Asynchronous a;
    a.kind = Async::cancel_launch;
    a.is_multicast = p.form().has(Modifier::multicast_cluster_all);
    a.target = p.place(operands[0], true);
    a.barrier = p.place(operands[1], true);
    emit_asynchronous(p, a);
}

void plan_query_cancel(FunctionPlanner& p, Operands operands) {
    Slot const response = p.source(operands.back(), 4);
    if (p.form().has(Modifier::is_canceled)) {
        p.emit_lanes(is_canceled, p.destination(operands[0], 0), response);
        return;
    }
    if (operands[0].kind == Kind::vector) {
        for (std::uint64_t i = 0; i < 4; ++i) {
            if (operands[1 + i].kind != Kind::sink && i < 3)
                p.emit_lanes(response_word, p.destination(operands[1 + i], 2), response, 0, 0, i);
        }
        if (p.is_first_op()) p.emit(OpKind::nothing);
        return;
    }
    std::uint64_t const word = p.form().has(Modifier::get_first_ctaid_y)   ? 1
                               : p.form().has(Modifier::get_first_ctaid_z) ? 2
                                                                           : 0;
    p.emit_lanes(response_word, p.destination(operands[0], 2), response, 0, 0, word);
}

}  // namespace

EffectRules effects::cancel_launch_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::cancel_launch, plan_cancel, AsyncOperations::carry_out},
        {Effect::query_cancel, plan_query_cancel},
    };
    return rules;
}

}  // namespace warpsim::sim
