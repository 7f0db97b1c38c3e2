// The functional plan: what a warp executes. One PTX instruction becomes one op, or a few where the ISA composes
// (.sat, combined predicates, registers wider than the instruction's type).
#pragma once

#include "frontend/ir/module.hpp"
#include "frontend/isa/effect.hpp"
#include "frontend/isa/operands.hpp"
#include "sim/exec/lanes/access.hpp"
#include "sim/exec/lanes/atomics.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::sim {

enum class OpKind : std::uint8_t {
    lanes,  // unguarded: only the lane function
    lanes_guarded,
    load,
    store,
    atomic,
    branch,
    branch_indexed,
    converge,  // a reconvergence point: not an instruction of the program
    call,
    ret,
    exit,
    effect,  // everything else: whatever Op::carry_out does
    report,  // an effect that nobody but sinks can notice
    nothing,
};

class WarpInstruction;
enum class Flow : std::uint8_t;
using CarryOut = Flow (*)(WarpInstruction&);

/// 64 bytes: one cache line.
struct Op {
    union {
        isa::LaneFunction run = nullptr;  // of a lanes op
        CarryOut carry_out;               // of an effect op
    };
    isa::Operands operands;
    Slot guard = 0;  // a predicate column; the always-true one when there is no guard
    std::uint32_t target =
        0;  // op index of a branch target; index into the function's calls, accesses, details ...
    std::uint32_t reconverge = UINT32_MAX;  // of a branch: op index of its converge op; UINT32_MAX: none
    std::uint32_t instruction = 0;          // ir::Function::instructions
    OpKind kind = OpKind::nothing;
    isa::Effect effect = isa::Effect::nothing;  // of its instruction
    bool guard_negated = false;
    bool is_primary = true;  // the first op of its instruction, which is counted
};
static_assert(sizeof(Op) == 64);

/// Shared memory of a cluster: an address whose bits from this one on are zero is in the CTA's own; in those of
/// rank r these bits are r + 2, so every address of the CTA's own is also one of the cluster's; and the lowest of these
/// bits tells the two CTAs of a pair apart, as on hardware, where programs clear it to name what is the even one's.
inline constexpr unsigned rank_shift = 24;
constexpr std::uint64_t rank_bits(std::uint32_t rank) { return (std::uint64_t{rank} + 2) << rank_shift; }

enum class SpaceKind : std::uint8_t { global, generic, shared, local, constant, param_entry, frame_param };

/// What a load, store or atomic needs beside its operands.
/// How the memory system sees one of several accesses that an instruction consists of here.
enum class Joins : std::uint8_t {
    none,
    behind,   // the one before, in each lane: they are one access that is twice as wide
    beside,   // the one before: they are one access of more lanes than there are
    repeats,  // it is not there: the register gets what another one has got
};

struct Access {
    SpaceKind space = SpaceKind::generic;
    bool address_is_64 = true;
    bool is_at_one_place = false;  // a variable's: all lanes have the same address, of 64 bits
    bool is_signed = false;
    std::uint8_t memory_log2 = 2;  // bytes of an element in memory
    std::uint8_t elements = 1;     // of a vector
    std::uint32_t bytes = 4;       // per lane: element bytes x elements
    Slot address = 0;              // column of addresses
    std::int64_t offset = 0;
    std::array<Slot, 8> data{};  // columns of the elements; discard for `_`
    std::array<std::uint8_t, 8> column_log2{};
    std::uint8_t register_byte = 0;  // where the value stands in the register, of elements that share one
    Move move[8] = {};
    isa::Order order = isa::Order::weak;
    isa::Scope scope = isa::Scope::none;
    // Atomics: `data` takes the old values.
    Atomic atomic[2] = {};  // for memory that other host threads see; for the CTA's own
    std::array<Slot, 8> source{};
    bool own_shared = false;  // .shared::cta: excludes shared memory of other CTAs of the cluster
    Slot swap = 0;
    bool swaps = false;  // compare-and-swap
    Joins joins = Joins::none;
};

/// One copy between the frames of caller and callee at a call or a return. Param areas are interleaved by words,
/// like local memory.
struct CallCopy {
    struct End {
        enum class Place : std::uint8_t { column, param_area, local };  // of the frame
        Place place = Place::column;
        std::uint32_t offset = 0;  // in the param area or in the frame's local memory
        Slot slot = 0;
        std::uint32_t bytes = 0;  // of the variable in memory or of the column's element; 0: a predicate column
        static constexpr std::uint32_t any_bytes = UINT32_MAX;  // of an unsized array: as many as are passed
    };
    End from, to;
};

struct CallPlan {
    std::uint32_t callee = ir::none;     // index into KernelPlan::functions; none: through `target`
    Slot target = 0;                     // column of function addresses
    std::uint32_t prototype = ir::none;  // of an indirect call
    bool target_is_64 = true;
    ir::Builtin builtin = ir::Builtin::none;  // of a call_runtime
    std::vector<CallCopy::End> arguments;     // the caller's ends
    std::vector<CallCopy::End> returns;
};

enum class StackMove : std::uint8_t { alloc, save, restore };  // Op::target of an op that moves the stack

struct FunctionPlan {
    ir::Function const* function = nullptr;
    std::uint32_t index = 0;                         // in ir::Module::functions
    std::uint32_t plan_index = 0;                    // in KernelPlan::functions
    std::uint32_t counter_base = 0;                  // index of its first op among all ops of the kernel
    std::vector<Op> ops;                             // ends with a ret or exit
    std::vector<std::uint32_t> instructions_before;  // per op, and at the end: primary ops before it
    std::vector<Access> accesses;
    std::vector<CallPlan> calls;
    std::vector<std::shared_ptr<void const>> details;  // of effects, each of a type that the effect knows
    std::vector<std::vector<std::uint32_t>> branch_lists;
    std::vector<Slot> register_slot;  // per ir register
    std::uint32_t frame_bytes = 0;    // columns, then the param area
    std::uint32_t param_area = 0;     // byte offset of the param area in the frame
    struct Bytes {
        std::uint32_t begin, size;
    };
    std::vector<Bytes> cleared;  // columns that may be read before they are written: 0 in every run
    std::uint32_t unsized_parameter = UINT32_MAX;  // where it begins in its area; none
    std::uint64_t local_bytes = 0;
    bool moves_stack = false;          // has alloca or stackrestore
    bool is_recursive = false;         // may be called while it runs: its frames count against the stack's limit
    Slot local_base = discard;         // 64-bit column with the frame's base in local memory, when it is read
    std::vector<CallCopy> parameters;  // only the callee's ends and sizes
    std::vector<CallCopy> returns;

    /// What FunctionPlanner::emit_effect_with() was given for the op.
    template <class T> T const& details_of(Op const& op) const {
        return *static_cast<T const*>(details[op.target].get());
    }
};

/// A special register that the kernel reads, and the column that holds it.
struct SpecialColumn {
    ir::SpecialRegister which;
    std::uint32_t component;
    std::uint8_t log2;
    Slot slot;
};

/// An op that is executed once, for columns that warps share.
struct ColumnOp {
    isa::LaneFunction run = nullptr;
    isa::Operands operands;
};

/// Distinguishes the collectives at which lanes wait for each other.
struct CollectiveIdentity {
    isa::Operation operation{};
    std::vector<isa::Modifier> qualifiers;  // sorted
    std::array<isa::Type, 3> types{};

    bool operator==(CollectiveIdentity const&) const = default;
};

/// A variable in the shared memory of a CTA; of dynamic memory there is none.
struct SharedVariable {
    std::uint32_t function = ir::none;  // ir function that declares it; none: the module
    std::uint32_t variable = 0;         // among the variables of either
    std::uint64_t begin = 0, end = 0;
};

/// The plans of everything that one kernel can reach. Immutable and shared by all host threads.
struct KernelPlan {
    ir::Module const* module = nullptr;
    std::vector<FunctionPlan> functions;  // the kernel first
    std::vector<std::uint32_t> plan_of;   // per ir function; none: not reachable
    /// The contents of the base `plan`, once per launch: the parameter block, then columns of constants and of
    /// special registers that are fixed at launch.
    std::vector<std::byte> constants;
    std::uint32_t param_bytes = 0;
    /// For each prototype of the module, which of `functions` a call by it may reach; empty if no call uses it.
    std::vector<std::vector<bool>> callees;
    std::vector<CollectiveIdentity> collective_identities;
    std::vector<SpecialColumn> launch_specials, cta_specials, warp_specials;
    std::vector<ColumnOp> launch_ops, cta_ops;  // in this order, when the launch and each CTA starts
    std::uint32_t cta_bytes = 0;
    std::uint32_t warp_bytes = 0;
    std::uint64_t shared_bytes = 0;                // static; the dynamic part follows
    std::vector<SharedVariable> shared_variables;  // in ascending order
    std::uint32_t named_barriers = 0;  // of a CTA, counted as ptxas does: up to the highest one that is named
    std::uint32_t op_count = 0;        // of all functions, plus one for each
    bool reads_clock = false;
    bool uses_heap = false;              // malloc or free
    bool uses_runtime = false;           // DeviceRuntime
    bool changes_registers = false;      // setmaxnreg
    std::uint32_t most_registers = 0;    // ... of a thread, of those that take some
    bool reads_reserved_shared = false;  // asks where the system's part of shared memory is

    /// A column of the base `plan` that is not in `constants`: each launch has its own.
    bool is_of_launch(Slot slot) const {
        return std::any_of(launch_specials.begin(), launch_specials.end(),
                           [&](SpecialColumn const& special) { return special.slot == slot; }) ||
               std::any_of(launch_ops.begin(), launch_ops.end(),
                           [&](ColumnOp const& op) { return op.operands.slot[0] == slot; });
    }
};

}  // namespace warpsim::sim
