// The operation and the type that an atomic names.
#include "sim/exec/function_planner.hpp"

namespace warpsim::sim {

using isa::Type;

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

}  // namespace warpsim::sim
