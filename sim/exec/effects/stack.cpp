// alloca, stacksave, stackrestore: they move the end of a frame's local memory.
#include "sim/exec/effect_rule.hpp"

#include <algorithm>

namespace warpsim::sim {

namespace {

using isa::Effect;

void plan_move_stack(FunctionPlanner& p, Operands operands) {
    StackMove const move = p.row().effect == isa::Effect::stack_alloc  ? StackMove::alloc
                           : p.row().effect == isa::Effect::stack_save ? StackMove::save
                                                                       : StackMove::restore;
    int const log2 = column_log2(p.form().types[0]);
    bool const writes = move != StackMove::restore;
    bool const reads = move != StackMove::save;
    Slot const from = reads ? p.source(operands[writes ? 1 : 0], log2) : 0;
    Slot const to = writes ? p.destination(operands[0], log2) : 0;
    std::uint64_t const alignment = operands.size() > 2 ? static_cast<std::uint64_t>(operands[2].value) : 8;
    p.plan().moves_stack = true;
    Op& op = p.emit_effect();
    op.target = static_cast<std::uint32_t>(move);
    op.operands.slot[0] = to;
    op.operands.slot[1] = from;
    op.operands.slot[2] = log2;
    op.operands.immediate = std::max<std::uint64_t>(alignment, 8);
}

Flow move_stack(WarpInstruction& i) {
    i.parts.calls.move_stack(i.cta, i.warp, i.op, i.mask);
    return Flow::next;
}

}  // namespace

EffectRules effects::stack_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::stack_alloc, plan_move_stack, move_stack},
        {Effect::stack_save, plan_move_stack, move_stack},
        {Effect::stack_restore, plan_move_stack, move_stack},
    };
    return rules;
}

}  // namespace warpsim::sim
