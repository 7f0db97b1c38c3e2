// Fences: what a thread did before is visible before what it does afterwards.
#include "sim/exec/effect_rule.hpp"

#include <atomic>

namespace warpsim::sim {

namespace {

using isa::Effect;

void plan_fence(FunctionPlanner& p, Operands operands) {
    // Of a tensor map: nothing is read, but who looks for races wants to know of which.
    bool const has_address = !operands.empty();
    if (has_address) p.plan().accesses.push_back(p.access_to(operands[0], true));
    // Loads of x86-64 acquire and stores release, and a CTA runs on one host thread at a time.
    bool const orders = p.form().order == isa::Order::sc && p.form().scope != isa::Scope::cta;
    Op& op = p.emit_effect();
    op.operands.immediate = orders;
    if (has_address) op.target = static_cast<std::uint32_t>(p.plan().accesses.size() - 1);
    if (!orders) op.kind = OpKind::report;
}

Flow fence(WarpInstruction& i) {
    if (i.op.operands.immediate != 0) std::atomic_thread_fence(std::memory_order_seq_cst);
    i.sinks().tell<FenceEvent>([&] {
        ir::Instruction const& instruction = i.function.function->instructions[i.op.instruction];
        ir::Form const& form = i.launch().plan.module->forms[instruction.form];
        return FenceEvent{i.site(), i.mask, form.order, form.scope};
    });
    return Flow::next;
}

}  // namespace

EffectRules effects::fence_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::fence, plan_fence, fence},
    };
    return rules;
}

}  // namespace warpsim::sim
