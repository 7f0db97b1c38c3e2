// Planning of branches, calls, barriers and warp collectives.
#include "sim/exec/function_planner.hpp"

#include "frontend/isa/table.hpp"
#include "sim/exec/device_runtime.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace warpsim::sim {

using isa::Modifier;
using isa::Operation;

using isa::Type;
using Kind = ir::Operand::Kind;

void FunctionPlanner::plan_branch(Operands operands) {
    Op& op = emit(OpKind::branch);
    op.target = operands[0].index;  // an instruction until resolve_labels()
}

void FunctionPlanner::plan_branch_indexed(Operands operands) {
    Slot const index = source(operands[0], 2);
    Op& op = emit(OpKind::branch_indexed);
    op.operands.slot[1] = index;
    op.target = static_cast<std::uint32_t>(plan_.branch_lists.size());
    plan_.branch_lists.push_back(function_.branch_targets[operands[1].index]);
}

CallCopy::End FunctionPlanner::call_end(ir::Operand const& operand) {
    CallCopy::End end;
    if (operand.kind == Kind::param) {
        end.is_area = true;
        end.offset = static_cast<std::uint32_t>(function_.variables[operand.index].offset);
        end.bytes = static_cast<std::uint32_t>(function_.variables[operand.index].size);
    } else if (operand.kind == Kind::reg) {
        Type const type = function_.registers[operand.index].type;
        end.slot = plan_.register_slot[operand.index];
        end.bytes = type == Type::pred ? 0 : 1u << column_log2(type);
    } else if (operand.kind == Kind::sink) {
        end.slot = discard;
    } else {
        end.slot = source(operand);
        end.bytes = operand.type == Type::pred ? 0 : 1u << column_log2(operand.type);
    }
    return end;
}

void FunctionPlanner::plan_call(Operands operands) {
    Call call;
    std::size_t at = 0;
    auto const take_list = [&](std::vector<CallCopy::End>& ends) {
        std::size_t const count = operands[at].count;
        ++at;
        for (std::size_t i = 0; i < count; ++i, ++at) ends.push_back(call_end(operands[at]));
    };
    take_list(call.returns);
    ir::Operand const& target = operands[at++];
    take_list(call.arguments);
    if (target.kind == Kind::function) {
        ir::Function const& callee = module_.functions[target.index];
        if (!callee.has_body) return plan_runtime_call(callee.name, std::move(call));
        call.callee = kernel_.reach(target.index);
    } else {
        call.target = source(target);
        call.target_is_64 = column_log2(target.type) == 3;
        call.prototype = operands[at].index;
    }
    Op& op = emit(OpKind::call);
    op.target = static_cast<std::uint32_t>(plan_.calls.size());
    plan_.calls.push_back(std::move(call));
    // The carry does not survive a call.
    if (function_.carry != ir::none) {
        emit_lanes(access_.copy_predicate, plan_.register_slot[function_.carry],
                   kernel_.constants.predicate(false));
    }
}

void FunctionPlanner::plan_runtime_call(std::string const& name, Call call) {
    ir::BuiltinFunction const* const builtin = ir::builtin_function(name);
    auto const none = [&](std::string const& why) {
        refuse(why);
        emit(OpKind::nothing);
    };
    if (builtin == nullptr) return none("function " + name + " has no body");
    bool const is_own = builtin->id <= ir::Builtin::free;
    if (!is_own && !DeviceRuntime::performs(builtin->id))
        return none("function " + name + " of the device runtime is not executed");
    auto const blanks =
        static_cast<std::size_t>(std::count(builtin->parameters.begin(), builtin->parameters.end(), ' '));
    std::size_t const wanted = builtin->parameters.empty() ? 0 : blanks + 1;
    if (call.arguments.size() != wanted)
        return none("function " + name + " takes (" + std::string(builtin->parameters) + ")");
    kernel_.plan.uses_heap |= builtin->id == ir::Builtin::malloc || builtin->id == ir::Builtin::free ||
                              builtin->id == ir::Builtin::device_malloc || builtin->id == ir::Builtin::device_free;
    kernel_.plan.uses_runtime |= !is_own;
    call.builtin = builtin->id;
    Op& op = emit(OpKind::call_runtime);
    op.target = static_cast<std::uint32_t>(plan_.calls.size());
    plan_.calls.push_back(std::move(call));
}

void FunctionPlanner::plan_move_stack(Operands operands) {
    StackMove const move = row_->effect == isa::Effect::stack_alloc  ? StackMove::alloc
                           : row_->effect == isa::Effect::stack_save ? StackMove::save
                                                                     : StackMove::restore;
    int const log2 = column_log2(form_->types[0]);
    bool const writes = move != StackMove::restore;
    bool const reads = move != StackMove::save;
    Slot const from = reads ? source(operands[writes ? 1 : 0], log2) : 0;
    Slot const to = writes ? destination(operands[0], log2) : 0;
    std::uint64_t const alignment = operands.size() > 2 ? static_cast<std::uint64_t>(operands[2].value) : 8;
    plan_.moves_stack = true;
    Op& op = emit(OpKind::move_stack);
    op.target = static_cast<std::uint32_t>(move);
    op.operands.slot[0] = to;
    op.operands.slot[1] = from;
    op.operands.slot[2] = log2;
    op.operands.immediate = std::max<std::uint64_t>(alignment, 8);
}

void FunctionPlanner::plan_cluster_barrier(Operands) {
    bool const arrives = form_->operation == Operation::barrier_cluster_arrive;
    emit(arrives ? OpKind::cluster_arrive : OpKind::cluster_wait).operands.immediate =
        form_->has(Modifier::aligned);
}

void FunctionPlanner::plan_barrier(Operands operands) {
    bool const is_bar = form_->operation == Operation::bar || form_->operation == Operation::bar_arrive ||
                        form_->operation == Operation::bar_red;
    Barrier barrier;
    barrier.is_aligned = is_bar || form_->has(Modifier::aligned);
    bool const reduces = form_->has(Modifier::red);
    std::size_t at = 0;
    int result_log2 = 2;
    if (reduces) {
        barrier.kind = form_->has(Modifier::popc)   ? Barrier::Kind::reduce_popc
                       : form_->has(Modifier::and_) ? Barrier::Kind::reduce_and
                                                    : Barrier::Kind::reduce_or;
        result_log2 = barrier.kind == Barrier::Kind::reduce_popc ? 2 : 0;
        at = 1;
    } else if (form_->has(Modifier::arrive)) {
        barrier.kind = Barrier::Kind::arrive;
    }
    std::size_t const sources = operands.size() - at - (reduces ? 1 : 0);
    barrier.id = source(operands[at], 2);
    if (operands[at].kind == Kind::immediate) barrier.highest = static_cast<std::uint8_t>(operands[at].value & 15);
    if (sources > 1 && operands[at + 1].kind != Kind::sink) {
        barrier.has_count = true;
        barrier.count = source(operands[at + 1], 2);
    }
    if (reduces) {
        barrier.source = predicate_source(operands.back());
        barrier.result = destination(operands[0], result_log2);
    }
    Op& op = emit(OpKind::barrier);
    op.target = static_cast<std::uint32_t>(plan_.barriers.size());
    plan_.barriers.push_back(barrier);
}

/// Lanes meet at the same operation, qualifiers and types, whatever the qualifiers' order and the place in the code.
std::uint32_t KernelPlanner::collective_key(ir::Form const& form) {
    CollectiveIdentity identity{form.operation, form.modifiers, form.types};
    std::sort(identity.qualifiers.begin(), identity.qualifiers.end());
    auto& known = plan.collective_identities;
    auto const at = std::find(known.begin(), known.end(), identity);
    auto const key = static_cast<std::uint32_t>(at - known.begin());
    if (at == known.end()) known.push_back(std::move(identity));
    return key;
}

void FunctionPlanner::plan_barrier_warp(Operands operands) {
    Collective collective;
    collective.members = source(operands[0], 2);
    collective.has_one_mask = operands[0].kind == Kind::immediate;
    collective.key = kernel_.collective_key(*form_);
    Op& op = emit(OpKind::barrier_warp);
    op.target = static_cast<std::uint32_t>(plan_.collectives.size());
    plan_.collectives.push_back(collective);
}

void FunctionPlanner::plan_collective(Operands operands) {
    Collective c;
    c.is_sync = form_->has(Modifier::sync);
    Type const type = form_->types[0];
    c.log2 = static_cast<std::uint8_t>(column_log2(type));
    c.is_signed = isa::is_signed(type);
    std::size_t next = 0;
    auto const members = [&] {
        if (!c.is_sync) return;
        c.has_one_mask = operands[next].kind == Kind::immediate;
        c.members = source(operands[next++], 2);
    };
    switch (kind_) {
        case OpKind::shuffle:
            c.shuffle = form_->has(Modifier::up)     ? ShuffleMode::up
                        : form_->has(Modifier::down) ? ShuffleMode::down
                        : form_->has(Modifier::bfly) ? ShuffleMode::bfly
                                                     : ShuffleMode::idx;
            next = 2;
            c.a = source(operands[next++], 2);
            c.b = source(operands[next++], 2);
            c.c = source(operands[next++], 2);
            members();
            c.result = destination(operands[0], 2);
            if (operands[1].kind == Kind::reg) c.predicate = plan_.register_slot[operands[1].index];
            break;
        case OpKind::vote:
            c.vote = form_->has(Modifier::ballot) ? VoteMode::ballot
                     : form_->has(Modifier::uni)  ? VoteMode::uni
                     : form_->has(Modifier::any)  ? VoteMode::any
                                                  : VoteMode::all;
            next = 1;
            c.a = predicate_source(operands[next++]);
            members();
            c.result = destination(operands[0], c.vote == VoteMode::ballot ? 2 : 0);
            break;
        case OpKind::active_mask:
            c.is_sync = false;
            c.result = destination(operands[0], 2);
            break;
        case OpKind::match:
            c.match_all = form_->has(Modifier::all);
            next = c.match_all ? 2 : 1;
            c.a = source(operands[next++], c.log2);
            members();
            c.result = destination(operands[0], 2);
            if (c.match_all && operands[1].kind == Kind::reg) c.predicate = plan_.register_slot[operands[1].index];
            break;
        case OpKind::elect:
            next = 2;
            c.is_sync = true;
            members();
            c.result = destination(operands[0], 2);
            if (operands[1].kind == Kind::reg) c.predicate = plan_.register_slot[operands[1].index];
            break;
        default:  // redux
            c.reduce = form_->has(Modifier::add)    ? ReduceOperation::add
                       : form_->has(Modifier::min)  ? ReduceOperation::min
                       : form_->has(Modifier::max)  ? ReduceOperation::max
                       : form_->has(Modifier::and_) ? ReduceOperation::bit_and
                       : form_->has(Modifier::or_)  ? ReduceOperation::bit_or
                                                    : ReduceOperation::bit_xor;
            c.is_float = isa::is_float(type);
            c.takes_absolute = form_->has(Modifier::abs);
            c.gives_nan = form_->has(Modifier::NaN);
            next = 1;
            c.a = source(operands[next++], 2);
            members();
            c.result = destination(operands[0], 2);
            break;
    }
    c.key = kernel_.collective_key(*form_);
    Op& op = emit(kind_);
    op.target = static_cast<std::uint32_t>(plan_.collectives.size());
    plan_.collectives.push_back(c);
}

}  // namespace warpsim::sim
