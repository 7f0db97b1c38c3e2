// Loads, stores and hints for caches: which columns, how many bytes.
#include "sim/exec/effect_rule.hpp"

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Operation;
using Base = ir::Operand::AddressBase;
using Kind = ir::Operand::Kind;

bool plan_parameter_load(FunctionPlanner& p, Operands operands, Access const& access) {
    // A kernel parameter at a constant address is the same for all lanes: a broadcast, not a memory access.
    if (access.space != SpaceKind::param_entry || operands.back().base == Base::reg) return false;
    if (static_cast<std::uint64_t>(access.offset) + access.bytes > p.function().param_bytes) return false;
    for (std::size_t i = 0; i < access.elements; ++i) {
        if (access.data[i] == discard) continue;
        isa::LaneFunction const run =
            p.access().broadcast[access.memory_log2][access.is_signed][access.column_log2[i]];
        p.emit_lanes(run, access.data[i], parameter_block, 0, 0,
                     static_cast<std::uint64_t>(access.offset) + (i << access.memory_log2));
    }
    if (p.is_first_op()) p.emit(OpKind::nothing);
    return true;
}

void plan_load(FunctionPlanner& p, Operands operands) {
    bool const is_vector = operands[0].kind == Kind::vector;
    std::size_t const first = is_vector ? 1 : 0;
    std::size_t const count = is_vector ? operands[0].count : 1;
    ir::Operand const& address = operands[first + count];
    Access access = p.access_to(address, true);
    for (std::size_t i = 0; i < count; ++i) p.add_element(access, operands[first + i], true);
    if (plan_parameter_load(p, operands.first(first + count + 1), access)) return;
    Op& op = p.emit(OpKind::load);
    op.target = static_cast<std::uint32_t>(p.plan().accesses.size());
    p.plan().accesses.push_back(access);
}

void plan_store(FunctionPlanner& p, Operands operands) {
    Access access = p.access_to(operands[0], false);
    if (access.space == SpaceKind::param_entry) {
        p.refuse("a store to a kernel parameter");
        return;
    }
    bool const is_vector = operands[1].kind == Kind::vector;
    std::size_t const first = is_vector ? 2 : 1;
    std::size_t const count = is_vector ? operands[1].count : 1;
    for (std::size_t i = 0; i < count; ++i) p.add_element(access, operands[first + i], false);
    Op& op = p.emit(OpKind::store);
    op.target = static_cast<std::uint32_t>(p.plan().accesses.size());
    p.plan().accesses.push_back(access);
}

void plan_hint(FunctionPlanner& p, Operands operands) {
    // Hints for caches change no values. A prefetch from a bad address does nothing; hints that name a range of
    // memory are checked like an access to it, and move nothing.
    if (p.form().operation != Operation::discard && p.form().operation != Operation::applypriority) {
        p.emit(OpKind::nothing);
        return;
    }
    bool const is_write = p.form().operation == Operation::discard;
    Access access = p.access_to(operands[0], !is_write);
    access.elements = 0;
    access.bytes = 128;
    Op& op = p.emit(is_write ? OpKind::store : OpKind::load);
    op.target = static_cast<std::uint32_t>(p.plan().accesses.size());
    p.plan().accesses.push_back(access);
}

}  // namespace

EffectRules effects::memory_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::load, plan_load},
        {Effect::store, plan_store},
        {Effect::prefetch, plan_hint},
    };
    return rules;
}

}  // namespace warpsim::sim
