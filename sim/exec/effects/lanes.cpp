// Computing within lanes: arithmetic, comparisons, selections, conversions.
#include "sim/exec/effect_rule.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/table.hpp"
#include "frontend/isa/video.hpp"

#include <algorithm>

namespace warpsim::sim {

namespace {

using isa::Effect;
using isa::Modifier;
using isa::Operation;
using isa::Rounding;
using isa::Type;
using Kind = ir::Operand::Kind;

isa::LaneFunction lane_function(FunctionPlanner& p, isa::Variant const& variant, std::uint64_t& immediate) {
    bool const directed = p.form().rounding == Rounding::rz || p.form().rounding == Rounding::rm ||
                          p.form().rounding == Rounding::rp;
    if (directed && variant.run_directed != nullptr) {
        immediate = static_cast<std::uint64_t>(p.form().rounding);
        return p.form().ftz && variant.run_directed_ftz != nullptr ? variant.run_directed_ftz
                                                                   : variant.run_directed;
    }
    return p.form().ftz && variant.run_ftz != nullptr ? variant.run_ftz : variant.run;
}

void plan_carried(FunctionPlanner& p, Operands operands, isa::Variant const& variant, isa::LaneFunction run) {
    // d, a, b [, c], carry in, carry out
    ir::CarryUse const use = ir::carry_use(p.module(), p.instruction());
    Slot const carry = p.plan().register_slot[p.function().carry];
    int const log2 = column_log2(variant.result);
    std::size_t const written = variant.source_count - 1u;
    Slot slots[6] = {};
    for (std::size_t i = 1; i <= written; ++i) slots[i] = p.source(operands[i], log2);
    slots[written + 1] = use.is_read ? carry : p.kernel().constants.predicate(false);
    slots[written + 2] = use.is_written ? carry : p.temporary_predicate();
    slots[0] = p.destination(operands[0], log2);
    Op& op = p.emit_lanes(run, slots[0]);
    std::copy(std::begin(slots), std::end(slots), std::begin(op.operands.slot));
}

enum class BoolOp { conjunction, disjunction, exclusion };

/// d = t BoolOp c, where both t and a true c have the bits of Operands::immediate, and zero is false.
template <class T, BoolOp op> void combine_truth(isa::Bases bases, isa::Operands const& operands, LaneMask mask) {
    T* const d = isa::column<T>(bases, operands.slot[0]);
    T const* const t = isa::column<T>(bases, operands.slot[1]);
    LaneMask const c = *isa::column<LaneMask>(bases, operands.slot[2]);
    T const truth = static_cast<T>(operands.immediate);
    for (int i = 0; i < isa::warp_size; ++i) {
        T const other = (c >> i & 1) != 0 ? truth : T{0};
        T const combined = static_cast<T>(op == BoolOp::conjunction   ? t[i] & other
                                          : op == BoolOp::disjunction ? t[i] | other
                                                                      : t[i] ^ other);
        d[i] = (mask >> i & 1) != 0 ? combined : d[i];
    }
}

template <class T> isa::LaneFunction combination(ir::Form const& form) {
    return form.has(Modifier::and_)  ? combine_truth<T, BoolOp::conjunction>
           : form.has(Modifier::or_) ? combine_truth<T, BoolOp::disjunction>
                                     : combine_truth<T, BoolOp::exclusion>;
}

/// What set writes for true, as the bits of its type.
std::uint64_t truth_of(Type type) {
    switch (type) {
        case Type::f32: return 0x3f800000;
        case Type::f16: return 0x3c00;
        case Type::bf16: return 0x3f80;
        case Type::f16x2: return 0x3c003c00;
        case Type::bf16x2: return 0x3f803f80;
        default: return ~std::uint64_t{0};
    }
}

/// The value of an immediate is not a selector.
std::string selector_of_register(ir::Operand const& operand) {
    return operand.kind == Kind::reg ? ir::selector_of(operand) : std::string();
}

void is_not_zero(isa::Bases bases, isa::Operands const& operands, LaneMask mask) {
    auto const* const a = isa::column<std::uint32_t>(bases, operands.slot[1]);
    LaneMask result = 0;
    for (int i = 0; i < isa::warp_size; ++i) result |= static_cast<LaneMask>(a[i] != 0) << i;
    LaneMask* const d = isa::column<LaneMask>(bases, operands.slot[0]);
    *d = (*d & ~mask) | (result & mask);
}

void plan_set(FunctionPlanner& p, Operands operands, isa::Variant const& variant, isa::LaneFunction run) {
    // operands: d, a, b, c
    int const log2 = column_log2(variant.result);
    Slot const a = p.source(operands[1], column_log2(variant.sources[0]));
    Slot const b = p.source(operands[2], column_log2(variant.sources[1]));
    Slot const c = p.predicate_source(operands[3]);
    Slot const compared = p.temporary(log2);
    p.emit_lanes(run, compared, a, b);
    isa::LaneFunction const combine =
        log2 == 1 ? combination<std::uint16_t>(p.form()) : combination<std::uint32_t>(p.form());
    p.emit_lanes(combine, p.destination(operands[0], log2), compared, c, 0, truth_of(variant.result));
}

void plan_lop3(FunctionPlanner& p, Operands operands, isa::LaneFunction run) {
    // operands: d or sink, p, a, b, c, table, q
    Slot slots[6] = {};
    for (std::size_t i = 0; i < 4; ++i) slots[1 + i] = p.source(operands[2 + i], 2);
    Slot const q = p.predicate_source(operands[6]);
    slots[0] = p.temporary(2);
    Op& op = p.emit_lanes(run, slots[0]);
    std::copy(std::begin(slots), std::end(slots), std::begin(op.operands.slot));
    auto const* const combine = p.form().has(Modifier::and_)  ? p.access().predicate_and
                                : p.form().has(Modifier::or_) ? p.access().predicate_or
                                                              : p.access().predicate_xor;
    Slot const found = p.temporary_predicate();
    p.emit_lanes(is_not_zero, found, slots[0]);
    p.emit_lanes(combine[0], p.destination(operands[1], 0), found, q);
    p.emit_lanes(p.access().copy[2], p.destination(operands[0], 2), slots[0]);
}

void plan_video(FunctionPlanner& p, Operands operands, isa::Variant const& variant) {
    // d, a, b [, c]
    bool const has_c = operands.size() > 3;
    Slot slots[6] = {};
    for (std::size_t i = 1; i < operands.size(); ++i) slots[i] = p.source(operands[i], 2);
    if (!has_c) slots[3] = p.kernel().constants.column(2, 0);
    slots[0] = p.destination(operands[0], 2);
    std::uint64_t const immediate =
        isa::video_immediate(p.row().video_elements, p.form().modifiers, ir::selector_of(operands[0]),
                             selector_of_register(operands[1]), selector_of_register(operands[2]),
                             operands[1].negated != operands[2].negated, has_c && operands[3].negated);
    Op& op = p.emit_lanes(variant.run, slots[0], 0, 0, 0, immediate);
    std::copy(std::begin(slots), std::end(slots), std::begin(op.operands.slot));
}

void plan_compare(FunctionPlanner& p, Operands operands, isa::Variant const& variant, isa::LaneFunction run) {
    // operands: d [, q or sink], a, b [, c]; scalars of 16 bits have no q
    auto const* const combine = p.form().has(Modifier::and_)   ? p.access().predicate_and
                                : p.form().has(Modifier::or_)  ? p.access().predicate_or
                                : p.form().has(Modifier::xor_) ? p.access().predicate_xor
                                                               : nullptr;
    std::size_t const first = operands.size() - (combine != nullptr ? 3 : 2);
    bool const has_q = first == 2 && operands[1].kind != Kind::sink;
    bool const is_packed = variant.sources[0] == Type::f16x2 || variant.sources[0] == Type::bf16x2;
    Slot const a = p.source(operands[first], column_log2(variant.sources[0]));
    Slot const b = p.source(operands[first + 1], column_log2(variant.sources[1]));
    Slot const d =
        operands[0].kind == Kind::sink ? p.temporary_predicate() : p.plan().register_slot[operands[0].index];
    if (combine == nullptr && !has_q) {
        p.emit_lanes(run, d, a, b);
        return;
    }
    Slot const compared = p.temporary_predicate();
    p.emit_lanes(run, compared, a, b);
    ir::Operand const& last = operands.back();
    Slot const c = combine == nullptr             ? 0
                   : last.kind == Kind::immediate ? p.kernel().constants.predicate(last.value != 0)
                                                  : p.plan().register_slot[last.index];
    bool const c_negated = combine != nullptr && last.negated;
    Slot opposite = 0;
    if (has_q) {  // before d is written, which may be c
        opposite = p.temporary_predicate();
        // For packed operands, d compares the low elements and q the high ones.
        if (is_packed) p.emit_lanes(run, opposite, a, b, 0, 16);
        else p.emit_lanes(p.access().predicate_not, opposite, compared);
        if (combine != nullptr) p.emit_lanes(combine[c_negated], opposite, opposite, c);
    }
    if (combine != nullptr) p.emit_lanes(combine[c_negated], d, compared, c);
    else p.emit_lanes(p.access().copy_predicate, d, compared);
    if (has_q) p.emit_lanes(p.access().copy_predicate, p.plan().register_slot[operands[1].index], opposite);
}

void plan_lanes(FunctionPlanner& p, Operands operands) {
    isa::Variant const& variant = p.row().variants[p.form().variant];
    std::uint64_t immediate = 0;
    isa::LaneFunction const run = lane_function(p, variant, immediate);
    bool const is_compare = p.form().operation == Operation::setp;
    if (is_compare) return plan_compare(p, operands, variant, run);
    if (isa::carries(p.row())) return plan_carried(p, operands, variant, run);
    if (p.row().video_elements != 0) return plan_video(p, operands, variant);
    bool const combined =
        p.form().has(Modifier::and_) || p.form().has(Modifier::or_) || p.form().has(Modifier::xor_);
    if (combined && p.form().operation == Operation::set) return plan_set(p, operands, variant, run);
    if (combined && p.form().operation == Operation::lop3) return plan_lop3(p, operands, run);
    // A list is an operand before its elements.
    bool const has_list = operands.size() > 1 && operands[1].kind == Kind::vector;
    std::size_t const first = has_list ? 2 : 1;
    if (run == nullptr || operands.size() < first + variant.source_count || variant.source_count > 5) {
        p.refuse(std::string(p.row().syntax));
        return;
    }
    Slot slots[6] = {};
    for (std::size_t i = 0; i < variant.source_count; ++i) {
        ir::Operand const& operand = operands[first + i];
        slots[1 + i] = variant.sources[i] == Type::pred ? p.predicate_source(operand)
                                                        : p.source(operand, column_log2(variant.sources[i]));
    }
    bool const is_predicate = variant.result == Type::pred;
    slots[0] = p.destination(operands[0], is_predicate ? 0 : column_log2(variant.result));
    Op& op = p.emit_lanes(run, slots[0], 0, 0, 0, immediate);
    std::copy(std::begin(slots), std::end(slots), std::begin(op.operands.slot));
    // .sat of a floating-point result is a second pass; integer rows include it in their arithmetic.
    if (p.form().sat && isa::is_float(variant.result)) {
        p.emit_lanes(isa::saturate(p.kernel().options.host, variant.result), slots[0], slots[0]);
    }
}

}  // namespace

EffectRules effects::lanes_rules() {
    static constexpr EffectRule rules[] = {
        {Effect::lanes, plan_lanes},
    };
    return rules;
}

}  // namespace warpsim::sim
