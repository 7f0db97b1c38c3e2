#include "sim/exec/function_planner.hpp"

#include "frontend/ir/analysis/columns.hpp"
#include "frontend/ir/registers.hpp"
#include "frontend/isa/table.hpp"
#include "sim/exec/clock.hpp"
#include "sim/exec/effect_rule.hpp"
#include "sim/exec/plan_fixed.hpp"

#include <algorithm>
#include <cassert>

namespace warpsim::sim {

using isa::Effect;
using isa::Type;
using Kind = ir::Operand::Kind;

int column_log2(Type type) {
    int const bits = isa::width(type);
    return bits <= 16 ? 1 : bits <= 32 ? 2 : bits <= 64 ? 3 : 4;
}

FunctionPlanner::FunctionPlanner(KernelPlanner& kernel, std::uint32_t ir_function)
    : kernel_(kernel),
      module_(kernel.module),
      function_(kernel.module.functions[ir_function]),
      access_(access_functions(kernel.options.host)),
      atomics_(atomic_functions(kernel.options.host)) {
    plan_.function = &function_;
    plan_.index = ir_function;
    shared_base_ = kernel.function_shared[ir_function];
}

FunctionPlan FunctionPlanner::build() {
    lay_out_frame();
    converge_of_block_.assign(function_.blocks.size(), UINT32_MAX);
    std::vector<bool> is_reconvergence(function_.blocks.size(), false);
    for (ir::Block const& block : function_.blocks) {
        Effect const effect = ir::effect(module_, function_.instructions[block.last]);
        bool const splits = (effect == Effect::branch && function_.instructions[block.last].guard != ir::none) ||
                            effect == Effect::branch_indexed;
        if (splits && block.reconvergence != ir::none) is_reconvergence[block.reconvergence] = true;
    }
    op_of_.assign(function_.instructions.size(), 0);
    for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
        op_of_[i] = static_cast<std::uint32_t>(plan_.ops.size());
        std::uint32_t const block = function_.block_of[i];
        if (function_.blocks[block].first == i && is_reconvergence[block]) {
            converge_of_block_[block] = op_of_[i];
            Op& op = plan_.ops.emplace_back();
            op.kind = OpKind::converge;
            op.guard = kernel_.constants.predicate(true);
            op.instruction = i;
            op.is_primary = false;
        }
        plan_instruction(i);
    }
    resolve_labels();
    // Temporaries were allocated while ops were made; the param area follows them.
    plan_.param_area = plan_.frame_bytes;
    bool const is_open = plan_.unsized_parameter != UINT32_MAX &&
                         plan_.parameters.back().to.place == CallCopy::End::Place::param_area;
    // A kernel's own parameters are in the parameter block, and only what it hands to functions stands behind them here.
    bool const has_none = function_.is_entry && function_.call_param_bytes <= function_.param_bytes;
    std::uint64_t const area = is_open    ? plan_.unsized_parameter
                               : has_none ? 0
                                          : std::max(function_.param_bytes, function_.call_param_bytes);
    plan_.frame_bytes += static_cast<std::uint32_t>((area + 3) / 4 * 128);
    plan_.local_bytes = ((function_.is_entry ? kernel_.kernel_local_bytes : function_.local_bytes) + 15) / 16 * 16;
    return std::move(plan_);
}

void FunctionPlanner::lay_out_frame() {
    ir::RegisterLayout const own =
        kernel_.options.share_registers ? ir::RegisterLayout{} : ir::separate_columns(function_);
    ir::RegisterLayout const& layout = kernel_.options.share_registers ? function_.layout : own;
    std::uint32_t const start128 = 0;
    std::uint32_t const start64 = start128 + layout.columns128 * 512;
    std::uint32_t const start32 = start64 + layout.columns64 * 256;
    std::uint32_t const start16 = start32 + layout.columns32 * 128;
    std::uint32_t const start_predicates = start16 + layout.columns16 * 64;
    plan_.frame_bytes = start_predicates + (layout.predicates * 4 + 63) / 64 * 64;
    plan_.register_slot.resize(function_.registers.size());
    for (std::size_t i = 0; i < function_.registers.size(); ++i) {
        Type const type = function_.registers[i].type;
        std::uint32_t const column = layout.column[i];
        std::uint32_t slot = 0;
        if (type == Type::pred) {
            slot = start_predicates + column * 4;
        } else {
            switch (column_log2(type)) {
                case 1: slot = start16 + column * 64; break;
                case 2: slot = start32 + column * 128; break;
                case 3: slot = start64 + column * 256; break;
                default: slot = start128 + column * 512; break;
            }
        }
        plan_.register_slot[i] = static_cast<Slot>(slot);
    }
    if (kernel_.options.share_registers && kernel_.options.share_fixed) fixed_ = find_fixed(kernel_, function_);
    for (std::size_t i = 0; i < fixed_.registers.size(); ++i) {
        if (fixed_.registers[i] == Sharing::warp) continue;
        plan_.register_slot[i] = block_of(fixed_.registers[i]).add(column_log2(function_.registers[i].type));
    }
    clear_unset(start_predicates);
    bool const reads_local = std::any_of(function_.variables.begin(), function_.variables.end(),
                                         [](ir::Variable const& v) { return v.space == ir::StateSpace::local; });
    if (reads_local) {
        plan_.local_base = static_cast<Slot>(plan_.frame_bytes);
        plan_.frame_bytes += 256;
    }
    auto const ends = [&](std::vector<std::uint32_t> const& list, std::vector<bool> const& in_register,
                          std::vector<CallCopy>& out) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            CallCopy copy;
            if (in_register[i]) {
                Type const type = function_.registers[list[i]].type;
                copy.to.slot = plan_.register_slot[list[i]];
                copy.to.bytes = type == Type::pred ? 0 : 1u << column_log2(type);
            } else {
                ir::Variable const& v = function_.variables[list[i]];
                bool const is_unsized = v.is_array && v.size == 0;
                using Place = CallCopy::End::Place;
                copy.to.place = v.space == ir::StateSpace::local ? Place::local : Place::param_area;
                copy.to.offset = is_unsized ? plan_.unsized_parameter : static_cast<std::uint32_t>(v.offset);
                copy.to.bytes = is_unsized ? CallCopy::End::any_bytes : static_cast<std::uint32_t>(v.size);
            }
            out.push_back(copy);
        }
    };
    if (!function_.is_entry) {
        // The size of an unsized array is known only at each call, so it comes after everything else.
        bool const may_be_unsized = !function_.parameters.empty() && !function_.parameter_in_register.back();
        if (may_be_unsized && is_unsized_parameter(function_.parameters.back())) {
            bool const is_local = function_.variables[function_.parameters.back()].space == ir::StateSpace::local;
            std::uint64_t const begin =
                is_local ? function_.local_bytes : std::max(function_.param_bytes, function_.call_param_bytes);
            plan_.unsized_parameter = static_cast<std::uint32_t>((begin + 15) / 16 * 16);
        }
        ends(function_.parameters, function_.parameter_in_register, plan_.parameters);
        ends(function_.returns, function_.return_in_register, plan_.returns);
    }
}

/// A few columns are cleared one by one; if there are many, all of them together.
void FunctionPlanner::clear_unset(std::uint32_t start_predicates) {
    constexpr std::size_t most_columns = 8;
    plan_.cleared.push_back({start_predicates, plan_.frame_bytes - start_predicates});
    ir::RegisterLists const registers = ir::list_registers(module_, function_);
    std::vector<bool> const unset = ir::find_live_at_entry(ir::uses_of(function_, registers));
    for (std::size_t i = 0; i < unset.size(); ++i) {
        Type const type = function_.registers[i].type;
        if (unset[i] && type != Type::pred)
            plan_.cleared.push_back(
                {static_cast<std::uint32_t>(plan_.register_slot[i]), 32u << column_log2(type)});
    }
    if (plan_.cleared.size() > most_columns) plan_.cleared = {{0, plan_.frame_bytes}};
}

bool FunctionPlanner::is_unsized_parameter(std::uint32_t variable) const {
    ir::Variable const& v = function_.variables[variable];
    bool const may_be = v.space == isa::StateSpace::param || v.space == isa::StateSpace::local;
    return may_be && !function_.is_entry && v.is_array && v.size == 0 && !function_.parameters.empty() &&
           !function_.parameter_in_register.back() && variable == function_.parameters.back();
}

std::uint64_t FunctionPlanner::local_offset(std::uint32_t variable) const {
    return is_unsized_parameter(variable) ? plan_.unsized_parameter : function_.variables[variable].offset;
}

EffectRule const& FunctionPlanner::rule() const {
    std::span<EffectRule const> const own = kernel_.options.effects;
    return (own.empty() ? std::span<EffectRule const>(effect_table())
                        : own)[static_cast<std::size_t>(row_->effect)];
}

void FunctionPlanner::plan_instruction(std::uint32_t index) {
    instruction_ = &function_.instructions[index];
    form_ = &module_.forms[instruction_->form];
    row_ = &isa::rows(kernel_.options.host)[form_->row];
    first_op_ = true;
    std::fill(std::begin(temporaries_used_), std::end(temporaries_used_), 0);
    guarded_ = instruction_->guard != ir::none;
    guard_negated_ = guarded_ && instruction_->guard_negated;
    guard_ = guarded_ ? plan_.register_slot[instruction_->guard] : kernel_.constants.predicate(true);
    Operands const operands = function_.operands_of(*instruction_);
    if (guarded_) protect_guard(operands);
    if (!fixed_.instructions.empty()) shared_by_ = fixed_.instructions[index];
    std::size_t const first = plan_.ops.size();
    rule().plan(*this, operands);
    finish();
    if (shared_by_ != Sharing::warp) share_ops(first);
}

ColumnBlock& FunctionPlanner::block_of(Sharing sharing) {
    return sharing == Sharing::launch ? kernel_.constants.block : kernel_.cta_block;
}

/// What the instruction has become is executed once for all warps that share it. It still counts as one of theirs.
void FunctionPlanner::share_ops(std::size_t first) {
    auto& shared = shared_by_ == Sharing::launch ? kernel_.plan.launch_ops : kernel_.plan.cta_ops;
    shared_by_ = Sharing::warp;
    for (std::size_t i = first; i < plan_.ops.size(); ++i) {
        assert(plan_.ops[i].kind == OpKind::lanes);
        shared.push_back({plan_.ops[i].run, plan_.ops[i].operands});
    }
    isa::Operands const operands = plan_.ops[first].operands;
    plan_.ops.resize(first);
    first_op_ = true;
    emit(OpKind::nothing).operands = operands;  // which others may look at, to see what its time depends on
}

Slot FunctionPlanner::temporary(int log2) {
    if (shared_by_ != Sharing::warp) return block_of(shared_by_).add(log2);
    auto& list = temporaries_[log2];
    auto& used = temporaries_used_[log2];
    if (used == list.size()) {
        list.push_back(static_cast<Slot>(plan_.frame_bytes));
        plan_.frame_bytes += 32u << log2;
    }
    return list[used++];
}

Slot FunctionPlanner::temporary_predicate() {
    if (shared_by_ != Sharing::warp) return block_of(shared_by_).reserve(4);
    auto& list = temporaries_[5];
    auto& used = temporaries_used_[5];
    if (used == list.size()) {
        list.push_back(static_cast<Slot>(plan_.frame_bytes));
        plan_.frame_bytes += 64;
    }
    return list[used++];
}

Op& FunctionPlanner::emit(OpKind kind) {
    Op& op = plan_.ops.emplace_back();
    op.kind = kind;
    op.effect = row_->effect;
    op.guard = guard_;
    op.guard_negated = guard_negated_;
    op.instruction = static_cast<std::uint32_t>(instruction_ - function_.instructions.data());
    op.is_primary = first_op_;
    first_op_ = false;
    return op;
}

Op& FunctionPlanner::emit_effect(CarryOut carry_out) {
    Op& op = emit(OpKind::effect);
    op.carry_out = carry_out;
    return op;
}

Op& FunctionPlanner::emit_effect() { return emit_effect(rule().carry_out); }

Op& FunctionPlanner::emit_lanes(isa::LaneFunction run, Slot d, Slot a, Slot b, Slot c, std::uint64_t immediate) {
    if (run == nullptr) refuse("an operand of this width");
    Op& op = emit(guarded_ ? OpKind::lanes_guarded : OpKind::lanes);
    op.run = run;
    op.operands.slot[0] = d;
    op.operands.slot[1] = a;
    op.operands.slot[2] = b;
    op.operands.slot[3] = c;
    op.operands.immediate = immediate;
    return op;
}

void FunctionPlanner::refuse(std::string const& what) {
    kernel_.refusals.push_back(module_.exact_place(*instruction_) + ": " + module_.written(*instruction_) +
                               "   (" + what + ")");
}

// ---- operands ------------------------------------------------------------------------------------------------

std::uint64_t FunctionPlanner::constant_address(ir::Operand const& operand) const {
    auto const offset = static_cast<std::uint64_t>(operand.value);
    if (operand.base == ir::Operand::AddressBase::immediate && operand.kind == Kind::address) return offset;
    bool const is_module = operand.kind == Kind::symbol
                               ? operand.is_module_variable
                               : operand.base == ir::Operand::AddressBase::module_variable;
    ir::Variable const& v = is_module ? module_.variables[operand.index] : function_.variables[operand.index];
    bool const is_shared = v.space == ir::StateSpace::shared;
    std::uint64_t const window = operand.generic ? generic_window(v.space) : 0;
    bool const is_placed = is_shared || v.space == ir::StateSpace::local;
    if (is_module)
        return (is_placed ? kernel_.module_place : kernel_.symbols.variable)[operand.index] + offset + window;
    if (!is_shared && plan_.unsized_parameter != UINT32_MAX && is_unsized_parameter(operand.index)) {
        return plan_.unsized_parameter + offset + window;
    }
    return (is_shared ? shared_base_ : 0) + v.offset + offset + window;
}

Slot FunctionPlanner::symbol_address(ir::Operand const& operand, int log2) {
    if (!operand.is_module_variable && function_.variables[operand.index].space == ir::StateSpace::local) {
        Slot base = plan_.local_base;
        if (log2 == 2) {
            base = temporary(2);
            emit_lanes(access_.narrow[3][2], base, plan_.local_base);
        }
        Slot const sum = temporary(log2);
        emit_lanes(access_.add_offset[log2 - 2], sum, base, 0, 0,
                   local_offset(operand.index) + static_cast<std::uint64_t>(operand.value));
        return sum;
    }
    bool const is_shared =
        (operand.is_module_variable ? module_.variables : function_.variables)[operand.index].space ==
        ir::StateSpace::shared;
    if (!is_shared || log2 < 2 || !kernel_.names_pairs())
        return kernel_.constants.column(log2, constant_address(operand));
    // Programs of pairs change the rank that an address of their own shared memory holds.
    Slot const sum = temporary(log2);
    emit_lanes(access_.add_offset[log2 - 2], sum,
               kernel_.special(ir::SpecialRegister::cluster_ctarank, rank_component, log2), 0, 0,
               constant_address(operand));
    return sum;
}

Slot FunctionPlanner::source(ir::Operand const& operand) { return source(operand, column_log2(operand.type)); }

Slot FunctionPlanner::source(ir::Operand const& operand, int log2) {
    switch (operand.kind) {
        case Kind::reg: {
            Type const type = function_.registers[operand.index].type;
            if (type == Type::pred) return predicate_source(operand);
            int const own = column_log2(type);
            Slot const slot = plan_.register_slot[operand.index];
            if (own == log2) return slot;
            Slot const narrowed = temporary(log2);
            emit_lanes(own > log2 ? access_.narrow[own][log2] : access_.widen[isa::is_signed(type)][own][log2],
                       narrowed, slot);
            return narrowed;
        }
        case Kind::immediate:
            if (operand.type == Type::pred)
                return kernel_.constants.predicate((operand.value != 0) != operand.negated);
            return kernel_.constants.column(
                log2, static_cast<std::uint64_t>(operand.value) &
                          (log2 >= 3 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8u << log2)) - 1));
        case Kind::special: {
            auto const which = static_cast<ir::SpecialRegister>(operand.index);
            if (is_clock(which)) {
                Slot const value = temporary(log2);
                kernel_.plan.reads_clock = true;
                Op& op = emit_effect(read_clock);
                op.operands.slot[0] = value;
                op.operands.immediate = operand.index;
                op.target = static_cast<std::uint32_t>(log2);
                return value;
            }
            return kernel_.special(which, static_cast<std::uint32_t>(operand.value), log2);
        }
        case Kind::symbol: return symbol_address(operand, log2);
        case Kind::function: return kernel_.constants.column(log2, function_address(operand.index));
        default: refuse("this kind of operand"); return 0;
    }
}

Slot FunctionPlanner::predicate_source(ir::Operand const& operand) {
    if (operand.kind == Kind::immediate)
        return kernel_.constants.predicate((operand.value != 0) != operand.negated);
    Slot const slot = operand.kind == Kind::special
                          ? kernel_.special(static_cast<ir::SpecialRegister>(operand.index), 0, 0)
                          : plan_.register_slot[operand.index];
    if (!operand.negated) return slot;
    Slot const negated = temporary_predicate();
    emit_lanes(access_.predicate_not, negated, slot);
    return negated;
}

Slot FunctionPlanner::destination(ir::Operand const& operand, int log2) {
    if (operand.kind == Kind::sink) return log2 == 0 ? temporary_predicate() : temporary(log2);
    if (operand.kind != Kind::reg) {
        refuse("this kind of destination");
        return temporary(log2 == 0 ? 2 : log2);
    }
    Type const type = function_.registers[operand.index].type;
    Slot const slot = plan_.register_slot[operand.index];
    if (type == Type::pred) return slot;
    int const own = column_log2(type);
    if (own == log2) return slot;
    Slot const narrow = temporary(log2);
    // A wider register receives the value extended by the sign of the instruction's type.
    widenings_.push_back(
        {own > log2 ? access_.widen[isa::is_signed(operand.type)][log2][own] : access_.narrow[log2][own], slot,
         narrow});
    return narrow;
}

void FunctionPlanner::finish() {
    for (Widening const& w : widenings_) emit_lanes(w.run, w.to, w.from);
    widenings_.clear();
}

void FunctionPlanner::protect_guard(Operands operands) {
    // An instruction that becomes several ops must not change its own guard between them.
    bool writes_guard = false;
    for (std::size_t i = 0; i < operands.size() && i < 2; ++i) {
        writes_guard |= operands[i].kind == Kind::reg && operands[i].index == instruction_->guard;
    }
    if (!writes_guard) return;
    Slot const copy = temporary_predicate();
    Slot const original = guard_;
    bool const negated = guard_negated_;
    guard_ = kernel_.constants.predicate(true);
    guarded_ = guard_negated_ = false;
    first_op_ = false;  // a copy, not the instruction
    emit_lanes(access_.copy_predicate, copy, original);
    first_op_ = true;
    guard_ = copy;
    guard_negated_ = negated;
    guarded_ = true;
}

void FunctionPlanner::resolve_labels() {
    auto const op_of = [&](std::uint32_t instruction) {
        return instruction < op_of_.size() ? op_of_[instruction]
                                           : static_cast<std::uint32_t>(plan_.ops.size()) - 1;
    };
    for (Op& op : plan_.ops) {
        if (op.kind != OpKind::branch && op.kind != OpKind::branch_indexed) continue;
        std::uint32_t const meet = function_.blocks[function_.block_of[op.instruction]].reconvergence;
        if (meet != ir::none) op.reconverge = converge_of_block_[meet];
        if (op.kind == OpKind::branch) op.target = op_of(op.target);
    }
    for (auto& list : plan_.branch_lists) {
        for (std::uint32_t& target : list) target = op_of(target);
    }
}

}  // namespace warpsim::sim
