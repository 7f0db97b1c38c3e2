// Atomics and reductions: which operation on which type.
#include "sim/exec/effect_rule.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;
using Kind = ir::Operand::Kind;

void plan_atomic(FunctionPlanner& p, Operands operands) {
    bool const has_result = p.row().effect == isa::Effect::atomic;
    // [d,] [a], b [, c] [, cache-policy], where d and b may be vectors
    bool const is_vector = has_result && operands[0].kind == Kind::vector;
    std::size_t const first_result = is_vector ? 1 : 0;
    std::size_t const at = has_result ? first_result + (is_vector ? operands[0].count : 1) : 0;
    Access access = p.access_to(operands[at], true);
    AtomicOperation const operation = atomic_operation(p.form());
    AtomicType const type = atomic_type(p.form().types[0]);
    if (operation != AtomicOperation::count && type != AtomicType::count) {
        for (std::size_t i = 0; i < 2; ++i) {
            access.atomic[i] =
                p.atomics().of[i][static_cast<std::size_t>(type)][static_cast<std::size_t>(operation)];
        }
    }
    if (access.atomic[0] == nullptr || (access.space != SpaceKind::global && access.space != SpaceKind::generic &&
                                        access.space != SpaceKind::shared)) {
        p.refuse(std::string(p.row().syntax));
        return;
    }
    int const log2 = access.memory_log2;
    std::size_t const first_source = at + (operands[at + 1].kind == Kind::vector ? 2 : 1);
    for (std::size_t i = 0; i < access.elements; ++i)
        access.source[i] = p.source(operands[first_source + i], log2);
    access.swaps = operation == AtomicOperation::compare_swap;
    if (access.swaps) access.swap = p.source(operands[first_source + 1], log2);
    bool const wants_old = has_result && (is_vector || operands[0].kind != Kind::sink);
    Slot old[8] = {};
    for (std::size_t i = 0; i < access.elements; ++i) {
        // The old value of one element must not overwrite the operand of a later one.
        if (!wants_old) access.data[i] = discard;
        else access.data[i] = old[i] = is_vector ? p.temporary(log2) : p.destination(operands[0], log2);
    }
    Op& op = p.emit(OpKind::atomic);
    op.target = static_cast<std::uint32_t>(p.plan().accesses.size());
    p.plan().accesses.push_back(access);
    for (std::size_t i = 0; is_vector && i < access.elements; ++i) {
        if (operands[first_result + i].kind == Kind::sink) continue;
        p.emit_lanes(p.access().copy[log2], p.destination(operands[first_result + i], log2), old[i]);
    }
}

}  // namespace

EffectRules effects::atomic_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::atomic, plan_atomic},
        {Effect::reduction, plan_atomic},
    };
    return rules;
}

}  // namespace warpsim::sim
