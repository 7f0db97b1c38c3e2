// mov: copies, packing and unpacking.
#include "sim/exec/effect_rule.hpp"

#include <algorithm>
#include <vector>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Type;
using Kind = ir::Operand::Kind;

/// The size of an element, and that of the columns it lies in: 8 bits lie in 16.
struct PackedElement {
    int log2, column_log2;
};
PackedElement packed_element(Type whole, unsigned count) {
    unsigned const bits = static_cast<unsigned>(isa::width(whole)) / std::max(count, 1u);
    int const log2 = bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
    return {log2, std::max(log2, 1)};
}

void plan_pack(FunctionPlanner& p, Operands operands) {
    // mov.b64 d, {a, b}: a is the low part
    int const log2 = column_log2(operands[0].type);
    unsigned const count = operands[1].count;
    PackedElement const element = packed_element(operands[0].type, count);
    Slot const d = p.destination(operands[0], log2);
    // The parts pass through a scratch column, because one of them may be in d.
    Slot const whole = p.temporary(log2);
    for (unsigned i = 0; i < count; ++i) {
        Slot const part = p.source(operands[2 + i], element.column_log2);
        p.emit_lanes(p.access().insert[element.log2][log2], whole, part, 0, 0, i * (8u << element.log2));
    }
    p.emit_lanes(p.access().copy[log2], d, whole);
}

/// mov.v4.b32 {a, b, c, d}, {e, f, g, h}, or %tid: a destination may also be one of the sources.
void plan_move_elements(FunctionPlanner& p, Operands to, Operands from) {
    std::vector<Slot> values;
    for (std::size_t i = 0; i < to.size(); ++i) {
        int const log2 = column_log2(from[i].type);
        values.push_back(p.temporary(log2));
        p.emit_lanes(p.access().copy[log2], values[i], p.source(from[i], log2));
    }
    for (std::size_t i = 0; i < to.size(); ++i) {
        int const log2 = column_log2(from[i].type);
        if (to[i].kind != Kind::sink) p.emit_lanes(p.access().copy[log2], p.destination(to[i], log2), values[i]);
    }
}

void plan_unpack(FunctionPlanner& p, Operands operands) {
    unsigned const count = operands[0].count;
    ir::Operand const& from = operands[1 + count];
    int const log2 = column_log2(from.type);
    PackedElement const element = packed_element(from.type, count);
    if (from.kind == Kind::vector)
        return plan_move_elements(p, operands.subspan(1, count), operands.subspan(2 + count));
    Slot const whole = p.source(from, log2);
    for (unsigned i = 0; i < count; ++i) {
        if (operands[1 + i].kind == Kind::sink) continue;
        p.emit_lanes(p.access().extract[log2][element.log2], p.destination(operands[1 + i], element.column_log2),
                     whole, 0, 0, i * (8u << element.log2));
    }
    if (p.is_first_op()) p.emit(OpKind::nothing);
}

void plan_move(FunctionPlanner& p, Operands operands) {
    if (operands[0].kind == Kind::vector) return plan_unpack(p, operands);
    if (operands[1].kind == Kind::vector) return plan_pack(p, operands);
    if (operands[0].type == Type::pred) {
        p.emit_lanes(p.access().copy_predicate, p.destination(operands[0], 0), p.predicate_source(operands[1]));
        return;
    }
    int const log2 = column_log2(operands[0].type);
    Slot const from = p.source(operands[1], log2);
    p.emit_lanes(p.access().copy[log2], p.destination(operands[0], log2), from);
}

}  // namespace

EffectRules effects::move_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::move, plan_move},
    };
    return rules;
}

}  // namespace warpsim::sim
