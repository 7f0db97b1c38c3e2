// Planning of atomics and reductions: which operation on which type.
#include "sim/exec/function_planner.hpp"

namespace warpsim::sim {

using isa::Type;
using Kind = ir::Operand::Kind;

AtomicOperation atomic_operation(ir::Form const& form) {
    static constexpr std::pair<isa::Modifier, AtomicOperation> names[] = {
        {isa::Modifier::add, AtomicOperation::add},          {isa::Modifier::min, AtomicOperation::min},
        {isa::Modifier::max, AtomicOperation::max},          {isa::Modifier::exch, AtomicOperation::exchange},
        {isa::Modifier::cas, AtomicOperation::compare_swap}, {isa::Modifier::and_, AtomicOperation::bit_and},
        {isa::Modifier::or_, AtomicOperation::bit_or},       {isa::Modifier::xor_, AtomicOperation::bit_xor},
        {isa::Modifier::inc, AtomicOperation::increment},    {isa::Modifier::dec, AtomicOperation::decrement}};
    for (auto const& [name, operation] : names) {
        if (form.has(name)) return operation;
    }
    return AtomicOperation::count;
}

AtomicType atomic_type(Type type) {
    switch (type) {
        case Type::u32:
        case Type::b32: return AtomicType::u32;
        case Type::s32: return AtomicType::s32;
        case Type::u64:
        case Type::b64: return AtomicType::u64;
        case Type::s64: return AtomicType::s64;
        case Type::b16: return AtomicType::b16;
        case Type::b128: return AtomicType::b128;
        case Type::f16: return AtomicType::f16;
        case Type::bf16: return AtomicType::bf16;
        case Type::f16x2: return AtomicType::f16x2;
        case Type::bf16x2: return AtomicType::bf16x2;
        case Type::f32: return AtomicType::f32;
        case Type::f64: return AtomicType::f64;
        default: return AtomicType::count;
    }
}

void FunctionPlanner::plan_atomic(Operands operands) {
    bool const has_result = row_->effect == isa::Effect::atomic;
    // [d,] [a], b [, c] [, cache-policy], where d and b may be vectors
    bool const is_vector = has_result && operands[0].kind == Kind::vector;
    std::size_t const first_result = is_vector ? 1 : 0;
    std::size_t const at = has_result ? first_result + (is_vector ? operands[0].count : 1) : 0;
    Access access = access_to(operands[at], true);
    AtomicOperation const operation = atomic_operation(*form_);
    AtomicType const type = atomic_type(form_->types[0]);
    if (operation != AtomicOperation::count && type != AtomicType::count) {
        for (std::size_t i = 0; i < 2; ++i) {
            access.atomic[i] = atomics_.of[i][static_cast<std::size_t>(type)][static_cast<std::size_t>(operation)];
        }
    }
    if (access.atomic[0] == nullptr || (access.space != SpaceKind::global && access.space != SpaceKind::generic &&
                                        access.space != SpaceKind::shared)) {
        refuse(std::string(row_->syntax));
        return;
    }
    int const log2 = access.memory_log2;
    std::size_t const first_source = at + (operands[at + 1].kind == Kind::vector ? 2 : 1);
    for (std::size_t i = 0; i < access.elements; ++i) access.source[i] = source(operands[first_source + i], log2);
    access.swaps = operation == AtomicOperation::compare_swap;
    if (access.swaps) access.swap = source(operands[first_source + 1], log2);
    bool const wants_old = has_result && (is_vector || operands[0].kind != Kind::sink);
    Slot old[8] = {};
    for (std::size_t i = 0; i < access.elements; ++i) {
        // An element's old value must not go where a later element's operand still is.
        if (!wants_old) access.data[i] = discard;
        else access.data[i] = old[i] = is_vector ? temporary(log2) : destination(operands[0], log2);
    }
    Op& op = emit(OpKind::atomic);
    op.target = static_cast<std::uint32_t>(plan_.accesses.size());
    plan_.accesses.push_back(access);
    for (std::size_t i = 0; is_vector && i < access.elements; ++i) {
        if (operands[first_result + i].kind == Kind::sink) continue;
        emit_lanes(access_.copy[log2], destination(operands[first_result + i], log2), old[i]);
    }
}

}  // namespace warpsim::sim
