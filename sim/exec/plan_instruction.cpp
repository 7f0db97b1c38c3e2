// From an instruction to its ops: which planner an effect has, and what needs no planner of its own.
#include "sim/exec/function_planner.hpp"

#include "frontend/isa/table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace warpsim::sim {

using isa::Effect;

/// Who plans an effect, and the kind of op that carries it out where one is enough.
struct FunctionPlanner::EffectPlan {
    void (FunctionPlanner::*plan)(Operands) = nullptr;
    OpKind kind = OpKind::nothing;
};

FunctionPlanner::EffectPlan const& FunctionPlanner::plan_of(Effect effect) {
    using P = FunctionPlanner;
    struct Entry {
        Effect effect;
        EffectPlan plan;
    };
    static constexpr Entry entries[] = {
        {Effect::lanes, {&P::plan_lanes, OpKind::lanes}},
        {Effect::not_executed, {&P::plan_refusal}},
        {Effect::move, {&P::plan_move}},
        {Effect::load, {&P::plan_load, OpKind::load}},
        {Effect::store, {&P::plan_store, OpKind::store}},
        {Effect::atomic, {&P::plan_atomic, OpKind::atomic}},
        {Effect::reduction, {&P::plan_atomic, OpKind::atomic}},
        {Effect::prefetch, {&P::plan_hint}},
        {Effect::bulk_store, {&P::plan_bulk_store, OpKind::bulk_store}},
        {Effect::create_policy, {&P::plan_create_policy}},
        {Effect::convert_address, {&P::plan_convert_address}},
        {Effect::is_space, {&P::plan_is_space}},
        {Effect::map_address, {&P::plan_rank, OpKind::map_rank}},
        {Effect::cta_rank, {&P::plan_rank, OpKind::rank_of}},
        {Effect::branch, {&P::plan_branch, OpKind::branch}},
        {Effect::branch_indexed, {&P::plan_branch_indexed, OpKind::branch_indexed}},
        {Effect::call, {&P::plan_call, OpKind::call}},
        {Effect::ret, {&P::plan_alone, OpKind::ret}},
        {Effect::exit, {&P::plan_alone, OpKind::exit}},
        {Effect::trap, {&P::plan_trap, OpKind::trap}},
        {Effect::breakpoint, {&P::plan_trap, OpKind::trap}},
        {Effect::barrier, {&P::plan_barrier, OpKind::barrier}},
        {Effect::barrier_warp, {&P::plan_barrier_warp, OpKind::barrier_warp}},
        {Effect::cluster_arrive, {&P::plan_cluster_barrier}},
        {Effect::cluster_wait, {&P::plan_cluster_barrier}},
        {Effect::mbarrier, {&P::plan_mbarrier, OpKind::asynchronous}},
        {Effect::fence, {&P::plan_fence, OpKind::fence}},
        {Effect::copy_async, {&P::plan_copy, OpKind::asynchronous}},
        {Effect::copy_bulk, {&P::plan_bulk_copy, OpKind::asynchronous}},
        {Effect::commit_copies, {&P::plan_group, OpKind::asynchronous}},
        {Effect::wait_copies, {&P::plan_group, OpKind::asynchronous}},
        {Effect::arrive_copies, {&P::plan_arrival, OpKind::asynchronous}},
        {Effect::store_async, {&P::plan_async_store, OpKind::asynchronous}},
        {Effect::reduce_async, {&P::plan_async_store, OpKind::asynchronous}},
        {Effect::copy_tensormap, {&P::plan_map_copy, OpKind::asynchronous}},
        {Effect::cancel_launch, {&P::plan_cancel, OpKind::asynchronous}},
        {Effect::query_cancel, {&P::plan_query_cancel}},
        {Effect::shuffle, {&P::plan_collective, OpKind::shuffle}},
        {Effect::vote, {&P::plan_collective, OpKind::vote}},
        {Effect::active_mask, {&P::plan_collective, OpKind::active_mask}},
        {Effect::match, {&P::plan_collective, OpKind::match}},
        {Effect::elect, {&P::plan_collective, OpKind::elect}},
        {Effect::reduce_warp, {&P::plan_collective, OpKind::reduce_warp}},
        {Effect::nanosleep, {&P::plan_sleep, OpKind::nanosleep}},
        {Effect::nothing, {&P::plan_alone, OpKind::nothing}},
        {Effect::stack_alloc, {&P::plan_move_stack, OpKind::move_stack}},
        {Effect::stack_save, {&P::plan_move_stack, OpKind::move_stack}},
        {Effect::stack_restore, {&P::plan_move_stack, OpKind::move_stack}},
    };
    constexpr auto effects = static_cast<std::size_t>(Effect::count);
    static_assert(std::size(entries) == effects, "every effect has one planner");
    static constexpr auto by_effect = [] {
        std::array<EffectPlan, effects> table{};
        for (Entry const& entry : entries) table[static_cast<std::size_t>(entry.effect)] = entry.plan;
        return table;
    }();
    // Compilers that check for undefined behaviour do not compare pointers to members in constants.
    constexpr bool has_all = [] {
        std::array<bool, effects> has{};
        for (Entry const& entry : entries) has[static_cast<std::size_t>(entry.effect)] = true;
        return std::find(has.begin(), has.end(), false) == has.end();
    }();
    static_assert(has_all, "and none has two");
    return by_effect[static_cast<std::size_t>(effect)];
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
    EffectPlan const& plan = plan_of(row_->effect);
    kind_ = plan.kind;
    (this->*plan.plan)(operands);
    finish();
}

void FunctionPlanner::plan_alone(Operands) { emit(kind_); }

void FunctionPlanner::plan_refusal(Operands) {
    refuse(std::string(row_->syntax));
    emit(OpKind::nothing);
}

void FunctionPlanner::plan_trap(Operands) { emit(kind_).target = row_->effect == Effect::breakpoint; }

void FunctionPlanner::plan_fence(Operands) {
    // A CTA has one host thread at a time.
    emit(kind_).operands.immediate = form_->order == isa::Order::sc && form_->scope != isa::Scope::cta;
}

void FunctionPlanner::plan_sleep(Operands operands) {
    Slot const duration = source(operands[0], 2);
    emit(kind_).operands.slot[0] = duration;
}

}  // namespace warpsim::sim
