// mov: copies, packing and unpacking.
#include "sim/exec/effect_rule.hpp"

#include <algorithm>
#include <vector>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Type;
using Kind = ir::Operand::Kind;

void plan_pack(FunctionPlanner& p, Operands operands) {
    // mov.b64 d, {a, b}: a is the low part
    int const log2 = column_log2(operands[0].type);
    unsigned const count = operands[1].count;
    unsigned const bits = static_cast<unsigned>(isa::width(operands[0].type)) / std::max(count, 1u);
    int const part_log2 = bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
    if (bits < 16) {
        p.refuse("vectors of 8-bit elements");
        return;
    }
    Slot const d = p.destination(operands[0], log2);
    // The parts pass through a scratch column, because one of them may be in d.
    Slot const whole = p.temporary(log2);
    for (unsigned i = 0; i < count; ++i) {
        Slot const part = p.source(operands[2 + i], part_log2);
        p.emit_lanes(p.access().insert[part_log2][log2], whole, part, 0, 0, i * bits);
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
    unsigned const bits = static_cast<unsigned>(isa::width(from.type)) / std::max(count, 1u);
    int const part_log2 = bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
    if (from.kind == Kind::vector)
        return plan_move_elements(p, operands.subspan(1, count), operands.subspan(2 + count));
    if (bits < 16) {
        p.refuse("vectors of 8-bit elements");
        return;
    }
    Slot const whole = p.source(from, log2);
    for (unsigned i = 0; i < count; ++i) {
        if (operands[1 + i].kind == Kind::sink) continue;
        p.emit_lanes(p.access().extract[log2][part_log2], p.destination(operands[1 + i], part_log2), whole, 0, 0,
                     i * bits);
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
