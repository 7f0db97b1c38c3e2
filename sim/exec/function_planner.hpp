// Plans one function: the state that the parts of the planner (arithmetic, memory, control) share.
#pragma once

#include "sim/exec/asynchronous.hpp"
#include "sim/exec/constants.hpp"
#include "sim/exec/plan.hpp"

#include <memory>
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
    std::vector<std::string> refusals{};  // what is not executed, with its location
    /// Offset per module variable: of .shared in the CTA's shared memory, of .local in a thread's local memory.
    std::vector<std::uint64_t> module_place{};
    std::uint64_t kernel_local_bytes = 0;          // of the kernel and the module's .local variables
    std::vector<std::uint64_t> function_shared{};  // ... of a function's own variables, per ir function

    std::uint32_t reach(std::uint32_t ir_function) const { return plan.plan_of[ir_function]; }
    Slot special(ir::SpecialRegister which, std::uint32_t component, int log2);
    /// The module has instructions for pairs of CTAs.
    bool names_pairs() const;
    /// Equal for the collectives at which lanes may meet.
    std::uint32_t collective_key(ir::Form const& form);
};

/// Which warps have the same in all lanes.
enum class Sharing : std::uint8_t { warp, cta, launch };  // warp: each has its own

/// Of clocks and what differs between lanes or warps: warp.
Sharing sharing_of_special(ir::SpecialRegister which);
/// Its value changes while a warp runs.
bool is_clock(ir::SpecialRegister which);

/// Registers with columns that warps share, and the instructions that define them, which no warp executes.
struct FixedRegisters {
    std::vector<Sharing> registers, instructions;
};

/// This component of %cluster_ctarank is what the rank adds to addresses of shared memory.
inline constexpr std::uint32_t rank_component = 1;

/// `count` when it is not an atomic operation.
AtomicOperation atomic_operation(ir::Form const& form);
AtomicType atomic_type(isa::Type type);

/// Makes the ops of one function. sim/exec/effects decides what an instruction becomes: its planners get the
/// instruction and its operands, as columns, from here and emit ops here.
class FunctionPlanner {
public:
    using Operands = std::span<ir::Operand const>;

    FunctionPlanner(KernelPlanner& kernel, std::uint32_t ir_function);
    FunctionPlan build();

    // the instruction that is being planned, and its context
    ir::Instruction const& instruction() const { return *instruction_; }
    ir::Form const& form() const { return *form_; }
    isa::Row const& row() const { return *row_; }
    ir::Function const& function() const { return function_; }
    ir::Module const& module() const { return module_; }
    KernelPlanner& kernel() const { return kernel_; }
    FunctionPlan& plan() { return plan_; }
    AccessFunctions const& access() const { return access_; }
    AtomicFunctions const& atomics() const { return atomics_; }
    bool is_first_op() const { return first_op_; }  // no op has been made of it yet

    // operands
    Slot source(ir::Operand const& operand);                 // may first emit a narrowing
    Slot source(ir::Operand const& operand, int log2);       // ... to a column of that width
    Slot predicate_source(ir::Operand const& operand);       // may first emit a negation
    Slot destination(ir::Operand const& operand, int log2);  // a later finish() widens into the register
    Slot temporary(int log2);                                // a scratch column; reused by the next instruction
    Slot temporary_predicate();
    /// An access at an address operand; the caller adds its elements.
    Access access_to(ir::Operand const& address, bool is_load);
    void add_element(Access& access, ir::Operand const& operand, bool is_load);
    /// An address of shared or global memory; `own`: of shared memory, and it must be the CTA's own.
    AddressOperand place(ir::Operand const& address, bool own = false);
    /// The generic address that a 32-bit one stands for; the column itself if it holds 64 bits.
    Slot wide_address(Slot address, int log2);
    /// What is added to an address of a space to make it generic, as the program sees it.
    std::uint64_t window(isa::StateSpace space) const;
    /// Where the module's constants begin and end.
    std::pair<std::uint64_t, std::uint64_t> constant_bank() const;

    // ops
    Op& emit(OpKind kind);
    Op& emit_lanes(isa::LaneFunction run, Slot d, Slot a = 0, Slot b = 0, Slot c = 0, std::uint64_t immediate = 0);
    /// An op that the instruction's effect carries out.
    Op& emit_effect();
    Op& emit_effect(CarryOut carry_out);
    /// The same with details, which FunctionPlan::details_of() returns.
    template <class Details> Op& emit_effect_with(Details details) {
        Op& op = emit_effect();
        op.target = static_cast<std::uint32_t>(plan_.details.size());
        plan_.details.push_back(std::make_shared<Details const>(std::move(details)));
        return op;
    }
    /// The kernel cannot be executed; `what` says why.
    void refuse(std::string const& what);

private:
    // layout
    void lay_out_frame();
    void clear_unset(std::uint32_t start_predicates);
    ColumnBlock& block_of(Sharing sharing);
    void share_ops(std::size_t first);

    Slot symbol_address(ir::Operand const& operand, int log2);
    bool is_unsized_parameter(std::uint32_t variable) const;
    std::uint64_t local_offset(std::uint32_t variable) const;  // of a variable in .local, in the frame
    std::uint64_t constant_address(ir::Operand const& operand) const;

    void plan_instruction(std::uint32_t index);
    EffectRule const& rule() const;
    void protect_guard(Operands operands);
    void finish();  // emits the widenings that destination() postponed
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
    Slot guard_ = 0;
    bool guard_negated_ = false;
    bool guarded_ = false;
    bool first_op_ = true;
    FixedRegisters fixed_;               // empty: there are none
    Sharing shared_by_ = Sharing::warp;  // what is being planned

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

/// The slot of the kernel's parameter block: it is at the start of the plan's base.
inline constexpr Slot parameter_block = static_cast<Slot>(isa::Base::plan);

/// The offset that makes an address of this space generic; 0 for spaces that are part of the global one.
std::uint64_t generic_window(isa::StateSpace space);

/// log2 of the bytes of a column's element for a register of this type (8-bit registers take 16 bits).
int column_log2(isa::Type type);

}  // namespace warpsim::sim
