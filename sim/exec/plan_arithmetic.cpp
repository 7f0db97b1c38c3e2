// Planning of what computes on the lanes alone: arithmetic, comparisons, moves.
#include "sim/exec/function_planner.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/table.hpp"
#include "frontend/isa/video.hpp"

#include <algorithm>

namespace warpsim::sim {

using isa::Modifier;
using isa::Operation;
using isa::Rounding;
using isa::Type;
using Kind = ir::Operand::Kind;

isa::LaneFunction FunctionPlanner::lane_function(isa::Variant const& variant, std::uint64_t& immediate) {
    bool const directed =
        form_->rounding == Rounding::rz || form_->rounding == Rounding::rm || form_->rounding == Rounding::rp;
    if (directed && variant.run_directed != nullptr) {
        immediate = static_cast<std::uint64_t>(form_->rounding);
        return form_->ftz && variant.run_directed_ftz != nullptr ? variant.run_directed_ftz : variant.run_directed;
    }
    return form_->ftz && variant.run_ftz != nullptr ? variant.run_ftz : variant.run;
}

void FunctionPlanner::plan_lanes(Operands operands) {
    isa::Variant const& variant = row_->variants[form_->variant];
    std::uint64_t immediate = 0;
    isa::LaneFunction const run = lane_function(variant, immediate);
    bool const is_compare = form_->operation == Operation::setp;
    if (is_compare) return plan_compare(operands, variant, run);
    if (isa::carries(*row_)) return plan_carried(operands, variant, run);
    if (row_->video_elements != 0) return plan_video(operands, variant);
    bool const combined = form_->has(Modifier::and_) || form_->has(Modifier::or_) || form_->has(Modifier::xor_);
    if (combined && form_->operation == Operation::set) return plan_set(operands, variant, run);
    if (combined && form_->operation == Operation::lop3) return plan_lop3(operands, run);
    // A list is an operand before its elements.
    bool const has_list = operands.size() > 1 && operands[1].kind == Kind::vector;
    std::size_t const first = has_list ? 2 : 1;
    if (run == nullptr || operands.size() < first + variant.source_count || variant.source_count > 5) {
        refuse(std::string(row_->syntax));
        return;
    }
    Slot slots[6] = {};
    for (std::size_t i = 0; i < variant.source_count; ++i) {
        ir::Operand const& operand = operands[first + i];
        slots[1 + i] = variant.sources[i] == Type::pred ? predicate_source(operand)
                                                        : source(operand, column_log2(variant.sources[i]));
    }
    bool const is_predicate = variant.result == Type::pred;
    slots[0] = destination(operands[0], is_predicate ? 0 : column_log2(variant.result));
    Op& op = emit_lanes(run, slots[0], 0, 0, 0, immediate);
    std::copy(std::begin(slots), std::end(slots), std::begin(op.operands.slot));
    // .sat of a floating-point result is a second pass; integer rows have it in their arithmetic.
    if (form_->sat && isa::is_float(variant.result)) {
        emit_lanes(isa::saturate(kernel_.options.host, variant.result), slots[0], slots[0]);
    }
}

void FunctionPlanner::plan_carried(Operands operands, isa::Variant const& variant, isa::LaneFunction run) {
    // d, a, b [, c], carry in, carry out
    ir::CarryUse const use = ir::carry_use(module_, *instruction_);
    Slot const carry = plan_.register_slot[function_.carry];
    int const log2 = column_log2(variant.result);
    std::size_t const written = variant.source_count - 1u;
    Slot slots[6] = {};
    for (std::size_t i = 1; i <= written; ++i) slots[i] = source(operands[i], log2);
    slots[written + 1] = use.is_read ? carry : kernel_.constants.predicate(false);
    slots[written + 2] = use.is_written ? carry : temporary_predicate();
    slots[0] = destination(operands[0], log2);
    Op& op = emit_lanes(run, slots[0]);
    std::copy(std::begin(slots), std::end(slots), std::begin(op.operands.slot));
}

namespace {

enum class BoolOp { conjunction, disjunction, exclusion };

/// d = t BoolOp c, where t and a true c are the bits of Operands::immediate, or zero.
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

/// The value of an immediate is no selector.
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

}  // namespace

void FunctionPlanner::plan_set(Operands operands, isa::Variant const& variant, isa::LaneFunction run) {
    // operands: d, a, b, c
    int const log2 = column_log2(variant.result);
    Slot const a = source(operands[1], column_log2(variant.sources[0]));
    Slot const b = source(operands[2], column_log2(variant.sources[1]));
    Slot const c = predicate_source(operands[3]);
    Slot const compared = temporary(log2);
    emit_lanes(run, compared, a, b);
    isa::LaneFunction const combine =
        log2 == 1 ? combination<std::uint16_t>(*form_) : combination<std::uint32_t>(*form_);
    emit_lanes(combine, destination(operands[0], log2), compared, c, 0, truth_of(variant.result));
}

void FunctionPlanner::plan_lop3(Operands operands, isa::LaneFunction run) {
    // operands: d or sink, p, a, b, c, table, q
    Slot slots[6] = {};
    for (std::size_t i = 0; i < 4; ++i) slots[1 + i] = source(operands[2 + i], 2);
    Slot const q = predicate_source(operands[6]);
    slots[0] = temporary(2);
    Op& op = emit_lanes(run, slots[0]);
    std::copy(std::begin(slots), std::end(slots), std::begin(op.operands.slot));
    auto const* const combine = form_->has(Modifier::and_)  ? access_.predicate_and
                                : form_->has(Modifier::or_) ? access_.predicate_or
                                                            : access_.predicate_xor;
    Slot const found = temporary_predicate();
    emit_lanes(is_not_zero, found, slots[0]);
    emit_lanes(combine[0], destination(operands[1], 0), found, q);
    emit_lanes(access_.copy[2], destination(operands[0], 2), slots[0]);
}

void FunctionPlanner::plan_video(Operands operands, isa::Variant const& variant) {
    // d, a, b [, c]
    bool const has_c = operands.size() > 3;
    Slot slots[6] = {};
    for (std::size_t i = 1; i < operands.size(); ++i) slots[i] = source(operands[i], 2);
    if (!has_c) slots[3] = kernel_.constants.column(2, 0);
    slots[0] = destination(operands[0], 2);
    std::uint64_t const immediate =
        isa::video_immediate(row_->video_elements, form_->modifiers, ir::selector_of(operands[0]),
                             selector_of_register(operands[1]), selector_of_register(operands[2]),
                             operands[1].negated != operands[2].negated, has_c && operands[3].negated);
    Op& op = emit_lanes(variant.run, slots[0], 0, 0, 0, immediate);
    std::copy(std::begin(slots), std::end(slots), std::begin(op.operands.slot));
}

void FunctionPlanner::plan_compare(Operands operands, isa::Variant const& variant, isa::LaneFunction run) {
    // operands: p [, q or sink], a, b [, c]; scalars of 16 bits have no q
    auto const* const combine = form_->has(Modifier::and_)   ? access_.predicate_and
                                : form_->has(Modifier::or_)  ? access_.predicate_or
                                : form_->has(Modifier::xor_) ? access_.predicate_xor
                                                             : nullptr;
    std::size_t const first = operands.size() - (combine != nullptr ? 3 : 2);
    bool const has_q = first == 2 && operands[1].kind != Kind::sink;
    bool const is_packed = variant.sources[0] == Type::f16x2 || variant.sources[0] == Type::bf16x2;
    Slot const a = source(operands[first], column_log2(variant.sources[0]));
    Slot const b = source(operands[first + 1], column_log2(variant.sources[1]));
    Slot const p = operands[0].kind == Kind::sink ? temporary_predicate() : plan_.register_slot[operands[0].index];
    if (combine == nullptr && !has_q) {
        emit_lanes(run, p, a, b);
        return;
    }
    Slot const compared = temporary_predicate();
    emit_lanes(run, compared, a, b);
    ir::Operand const& last = operands.back();
    Slot const c = combine == nullptr             ? 0
                   : last.kind == Kind::immediate ? kernel_.constants.predicate(last.value != 0)
                                                  : plan_.register_slot[last.index];
    bool const c_negated = combine != nullptr && last.negated;
    Slot opposite = 0;
    if (has_q) {  // before p is written, which may be c
        opposite = temporary_predicate();
        // Of packed operands p is the comparison of the low elements and q that of the high ones.
        if (is_packed) emit_lanes(run, opposite, a, b, 0, 16);
        else emit_lanes(access_.predicate_not, opposite, compared);
        if (combine != nullptr) emit_lanes(combine[c_negated], opposite, opposite, c);
    }
    if (combine != nullptr) emit_lanes(combine[c_negated], p, compared, c);
    else emit_lanes(access_.copy_predicate, p, compared);
    if (has_q) emit_lanes(access_.copy_predicate, plan_.register_slot[operands[1].index], opposite);
}

void FunctionPlanner::plan_move(Operands operands) {
    if (operands[0].kind == Kind::vector) return plan_unpack(operands);
    if (operands[1].kind == Kind::vector) return plan_pack(operands);
    if (operands[0].type == Type::pred) {
        emit_lanes(access_.copy_predicate, destination(operands[0], 0), predicate_source(operands[1]));
        return;
    }
    int const log2 = column_log2(operands[0].type);
    Slot const from = source(operands[1], log2);
    emit_lanes(access_.copy[log2], destination(operands[0], log2), from);
}

void FunctionPlanner::plan_pack(Operands operands) {
    // mov.b64 d, {a, b}: a is the low part
    int const log2 = column_log2(operands[0].type);
    unsigned const count = operands[1].count;
    unsigned const bits = static_cast<unsigned>(isa::width(operands[0].type)) / std::max(count, 1u);
    int const part_log2 = bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
    if (bits < 16) {
        refuse("vectors of 8-bit elements");
        return;
    }
    Slot const d = destination(operands[0], log2);
    // The parts go through a scratch column: one of them may live where d does.
    Slot const whole = temporary(log2);
    for (unsigned i = 0; i < count; ++i) {
        Slot const part = source(operands[2 + i], part_log2);
        emit_lanes(access_.insert[part_log2][log2], whole, part, 0, 0, i * bits);
    }
    emit_lanes(access_.copy[log2], d, whole);
}

/// mov.v4.b32 {a, b, c, d}, {e, f, g, h}, or %tid: any of the first four may be one of the others too.
void FunctionPlanner::plan_move_elements(Operands to, Operands from) {
    std::vector<Slot> values;
    for (std::size_t i = 0; i < to.size(); ++i) {
        int const log2 = column_log2(from[i].type);
        values.push_back(temporary(log2));
        emit_lanes(access_.copy[log2], values[i], source(from[i], log2));
    }
    for (std::size_t i = 0; i < to.size(); ++i) {
        int const log2 = column_log2(from[i].type);
        if (to[i].kind != Kind::sink) emit_lanes(access_.copy[log2], destination(to[i], log2), values[i]);
    }
}

void FunctionPlanner::plan_unpack(Operands operands) {
    unsigned const count = operands[0].count;
    ir::Operand const& from = operands[1 + count];
    int const log2 = column_log2(from.type);
    unsigned const bits = static_cast<unsigned>(isa::width(from.type)) / std::max(count, 1u);
    int const part_log2 = bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
    if (from.kind == Kind::vector)
        return plan_move_elements(operands.subspan(1, count), operands.subspan(2 + count));
    if (bits < 16) {
        refuse("vectors of 8-bit elements");
        return;
    }
    Slot const whole = source(from, log2);
    for (unsigned i = 0; i < count; ++i) {
        if (operands[1 + i].kind == Kind::sink) continue;
        emit_lanes(access_.extract[log2][part_log2], destination(operands[1 + i], part_log2), whole, 0, 0,
                   i * bits);
    }
    if (first_op_) emit(OpKind::nothing);
}

}  // namespace warpsim::sim
