// bar and barrier: the barriers of a CTA.
#include "sim/exec/effect_rule.hpp"

#include <algorithm>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Operation;
using Kind = ir::Operand::Kind;

void plan_barrier(FunctionPlanner& p, Operands operands) {
    bool const is_bar = p.form().operation == Operation::bar || p.form().operation == Operation::bar_arrive ||
                        p.form().operation == Operation::bar_red;
    Barrier barrier;
    barrier.is_aligned = is_bar || p.form().has(Modifier::aligned);
    bool const reduces = p.form().has(Modifier::red);
    std::size_t at = 0;
    int result_log2 = 2;
    if (reduces) {
        barrier.kind = p.form().has(Modifier::popc)   ? Barrier::Kind::reduce_popc
                       : p.form().has(Modifier::and_) ? Barrier::Kind::reduce_and
                                                      : Barrier::Kind::reduce_or;
        result_log2 = barrier.kind == Barrier::Kind::reduce_popc ? 2 : 0;
        at = 1;
    } else if (p.form().has(Modifier::arrive)) {
        barrier.kind = Barrier::Kind::arrive;
    }
    std::size_t const sources = operands.size() - at - (reduces ? 1 : 0);
    barrier.id = p.source(operands[at], 2);
    if (operands[at].kind == Kind::immediate) barrier.highest = static_cast<std::uint8_t>(operands[at].value & 15);
    if (sources > 1 && operands[at + 1].kind != Kind::sink) {
        barrier.has_count = true;
        barrier.count = p.source(operands[at + 1], 2);
    }
    if (reduces) {
        barrier.source = p.predicate_source(operands.back());
        barrier.result = p.destination(operands[0], result_log2);
    }
    std::uint32_t& named = p.kernel().plan.named_barriers;
    named = std::max(named, barrier.highest + 1u);
    p.emit_effect_with(barrier);
}

Flow arrive(WarpInstruction& i) {
    i.stop_here();
    if (i.parts.barriers.barrier(i.cta, i.warp, i.op, i.mask)) i.pass();
    return Flow::regroup;
}

}  // namespace

EffectRules effects::barrier_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::barrier, plan_barrier, arrive},
    };
    return rules;
}

}  // namespace warpsim::sim
