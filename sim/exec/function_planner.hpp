// Plans one function: the state that the parts of the planner (arithmetic, memory, control) share.
#pragma once

#include "sim/exec/constants.hpp"
#include "sim/exec/plan.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsim::sim {

/// What the functions of one kernel share while it is planned.
struct KernelPlanner {
    ir::Module const& module;
    SymbolAddresses const& symbols;
    PlanOptions const& options;
    KernelPlan& plan;
    Constants constants{};
    ColumnBlock cta_block{isa::Base::cta};
    ColumnBlock warp_block{isa::Base::warp};
    std::vector<std::string> refusals{};  // what is not executed, with its place
    /// Offset per module variable: of .shared in the CTA's shared memory, of .local in a thread's local memory.
    std::vector<std::uint64_t> module_place{};
    std::uint64_t kernel_local_bytes = 0;          // of the kernel and the module's .local variables
    std::vector<std::uint64_t> function_shared{};  // ... of a function's own variables, per ir function

    std::uint32_t reach(std::uint32_t ir_function) const { return plan.plan_of[ir_function]; }
    Slot special(ir::SpecialRegister which, std::uint32_t component, int log2);
    /// Equal for the collectives at which lanes may meet.
    std::uint32_t collective_key(ir::Form const& form);
};

/// `count` for what is none.
AtomicOperation atomic_operation(ir::Form const& form);
AtomicType atomic_type(isa::Type type);

class FunctionPlanner {
public:
    FunctionPlanner(KernelPlanner& kernel, std::uint32_t ir_function);
    FunctionPlan build();

private:
    using Operands = std::span<ir::Operand const>;

    // layout
    void lay_out_frame();
    void clear_unset(std::uint32_t start_predicates);
    Slot temporary(int log2);  // a scratch column; reused by the next instruction
    Slot temporary_predicate();

    // operands
    Slot source(ir::Operand const& operand);                 // may emit a narrowing first
    Slot source(ir::Operand const& operand, int log2);       // ... to a column of that width
    Slot predicate_source(ir::Operand const& operand);       // may emit a negation first
    Slot destination(ir::Operand const& operand, int log2);  // a later finish() widens into the register
    Slot symbol_address(ir::Operand const& operand, int log2);
    bool is_unsized_parameter(std::uint32_t variable) const;
    std::uint64_t constant_address(ir::Operand const& operand) const;

    // emission
    Op& emit(OpKind kind);
    Op& emit_lanes(isa::LaneFunction run, Slot d, Slot a = 0, Slot b = 0, Slot c = 0, std::uint64_t immediate = 0);
    void finish();  // the widenings that destination() postponed
    void refuse(std::string const& what);

    // instructions, by what they do
    void plan_instruction(std::uint32_t index);
    struct EffectPlan;
    static EffectPlan const& plan_of(isa::Effect effect);
    void plan_alone(Operands operands);    // one op without operands
    void plan_refusal(Operands operands);  // what is not executed
    void plan_trap(Operands operands);
    void plan_fence(Operands operands);
    void plan_sleep(Operands operands);
    void protect_guard(Operands operands);
    void plan_lanes(Operands operands);
    void plan_carried(Operands operands, isa::Variant const& variant, isa::LaneFunction run);
    void plan_set(Operands operands, isa::Variant const& variant, isa::LaneFunction run);
    void plan_lop3(Operands operands, isa::LaneFunction run);
    void plan_video(Operands operands, isa::Variant const& variant);
    void plan_compare(Operands operands, isa::Variant const& variant, isa::LaneFunction run);
    isa::LaneFunction lane_function(isa::Variant const& variant, std::uint64_t& immediate);
    void plan_move(Operands operands);
    void plan_pack(Operands operands);
    void plan_unpack(Operands operands);
    std::pair<std::uint64_t, std::uint64_t> constant_bank() const;
    void plan_move_elements(Operands to, Operands from);
    void plan_convert_address(Operands operands);
    void plan_is_space(Operands operands);
    void plan_load(Operands operands);
    void plan_store(Operands operands);
    void plan_atomic(Operands operands);
    void plan_hint(Operands operands);
    void plan_bulk_store(Operands operands);
    void plan_create_policy(Operands operands);
    bool plan_parameter_load(Operands operands, Access const& access);
    Access access_to(ir::Operand const& address, bool is_load);
    void add_element(Access& access, ir::Operand const& operand, bool is_load);
    void plan_branch(Operands operands);
    void plan_branch_indexed(Operands operands);
    void plan_call(Operands operands);
    void plan_runtime_call(std::string const& name, Call call);
    void plan_move_stack(Operands operands);
    CallCopy::End call_end(ir::Operand const& operand);
    void plan_collective(Operands operands);
    void plan_barrier(Operands operands);
    void plan_barrier_warp(Operands operands);
    void plan_cluster_barrier(Operands operands);
    void plan_mbarrier(Operands operands);
    void plan_copy(Operands operands);
    void plan_bulk_copy(Operands operands);
    void plan_map_copy(Operands operands);
    void plan_group(Operands operands);    // commits one, or waits for some
    void plan_arrival(Operands operands);  // that waits for the thread's copies
    void plan_cancel(Operands operands);
    void plan_query_cancel(Operands operands);
    void plan_async_store(Operands operands);
    void choose_reduction(Asynchronous& a);
    void plan_rank(Operands operands);
    /// An address of shared memory, or of global; `own`: of shared memory that must be the CTA's own.
    Place place(ir::Operand const& address, bool own = false);
    void emit_asynchronous(Asynchronous const& a);
    void resolve_labels();

    KernelPlanner& kernel_;
    ir::Module const& module_;
    ir::Function const& function_;
    AccessFunctions const& access_;
    AtomicFunctions const& atomics_;
    FunctionPlan plan_;
    std::uint64_t shared_base_ = 0;  // of the function's own .shared variables

    ir::Instruction const* instruction_ = nullptr;  // being planned
    ir::Form const* form_ = nullptr;
    isa::Row const* row_ = nullptr;
    OpKind kind_ = OpKind::nothing;  // that its effect has
    Slot guard_ = 0;
    bool guard_negated_ = false;
    bool guarded_ = false;
    bool first_op_ = true;

    struct Widening {
        isa::LaneFunction run;
        Slot to, from;
    };
    std::vector<Widening> widenings_;
    std::vector<Slot> temporaries_[6];  // by log2; [5] predicates
    std::size_t temporaries_used_[6] = {};
    std::vector<std::uint32_t> op_of_;              // first op per ir instruction, converge op included
    std::vector<std::uint32_t> converge_of_block_;  // op index; UINT32_MAX: none
};

/// The slot of the kernel's parameter block: it lies at the start of the plan's base.
inline constexpr Slot parameter_block = static_cast<Slot>(isa::Base::plan);

/// What is added to an address of this space to make it generic; 0 for spaces that are part of the global one.
std::uint64_t generic_window(isa::StateSpace space);

/// log2 of the bytes of a column's element for a register of this type (8-bit ones take 16).
int column_log2(isa::Type type);

}  // namespace warpsim::sim
