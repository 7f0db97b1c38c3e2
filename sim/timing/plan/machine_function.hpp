// A function as the hardware's compiler sees it: which of its PTX instructions cost something, and what these read
// and write. The passes (cleanup, schedule, allocate) fill it in one after the other. The PTX instructions remain
// what they are: one that costs nothing is still executed, together with the next one that costs something.
#pragma once

#include "frontend/ir/analysis/liveness.hpp"
#include "frontend/isa/types.hpp"
#include "sim/timing/plan/if_conversion.hpp"
#include "sim/timing/plan/micro_op.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace warpsim::timing {

using ir::Lists;

enum class Fate : std::uint8_t {
    issued,
    removed,  // a copy, a constant, or a value that is not needed or exists already
    folded,   // part of the instructions that use its result
};

/// Halves of a value of 64 bits.
constexpr std::uint8_t lower_half = 1, upper_half = 2, both_halves = 3;

/// How a product of 64 bits is multiplied, alone or with a sum in it.
enum class WideProduct : std::uint8_t {
    none,  // none, or of two factors of 32 bits
    whole,
    by_widened,  // the upper half of the second factor is zero
    of_widened,  // that of the first
    of_widened_by_number,
    of_two_widened,
};

/// What an integer division of 32 bits finds made.
enum class Division : std::uint8_t {
    alone,
    by_known_reciprocal,
    of_known_quotient,  // by another one of the same dividend, for the quotient or the remainder
};

struct MachineInstruction {
    Fate fate = Fate::issued;
    bool is_uniform = false;      // for the uniform datapath
    bool awaits_clock = false;    // an instruction behind it waits until the clock is in a uniform register
    bool takes_product = false;   // a multiply-add with a multiplication folded into it
    bool takes_shift = false;     // a sum with a shift to the right folded into it
    bool takes_scale = false;     // a sum with one to the left, outside of addresses
    bool is_beside = false;       // a test of a value that the instruction which makes that yields as well
    std::uint8_t chosen = 0;      // the operand that it computes itself, where it chooses that; 0: none
    std::uint8_t extensions = 0;  // of narrow operands to the registers' width, or packs of them
    std::uint8_t halves =
        both_halves;  // of its result of 64 bits, or of those that it compares, which it computes
    WideProduct product = WideProduct::none;
    std::uint16_t weight = 1;      // PTX instructions that it counts as
    std::uint8_t extra_moves = 0;  // that bring operands into registers
    // Immediate operands that moves bring into registers, for it or for others as well: their numbers; 0: none.
    std::array<std::uint16_t, 2> moved{};
    bool is_constant = false;        // does nothing but these
    bool loads_constant = false;     // by loads from the constant bank (LDC)
    bool loads_into_vector = false;  // ... for instructions that have numbers beside them
    std::uint8_t prologue = 0;       // of the kernel, before everything else, or of addresses of variables
    std::uint16_t base =
        0;  // that it reads from a pair of registers, of a variable in global memory: its number; 0: none
    std::uint8_t level_registers = 0;  // that the level of a texture takes, where the program says none
    std::uint8_t reciprocals = 0;      // that it makes for integer divisions in a loop behind it
    Division division = Division::alone;
    bool divides_by_number = false;
    bool is_merged = false;         // into the access behind it, or behind others like it
    std::uint8_t merged_bytes = 0;  // of a lane, of an access with others merged into it; else 0
    std::uint8_t lane_check = 0;    // whether all lanes are there (lane_checks.hpp); 0: none
    std::uint16_t elsewhere = 0;    // instructions behind the function that collect them
    std::uint8_t gathering = 0;     // of an atomic that one lane does for all (gathered_atomics.hpp); 0: none
    std::uint8_t routine = 0;       // that it calls, always or for rare operands (routines.hpp); 0: none
    std::uint8_t convergence = 0;   // BSSY and BSYNC before it
    GuardedPlace guarded;           // its path, if a branch became its guard
    std::uint32_t first_micro = 0;
    std::uint16_t micros = 0;
    std::uint8_t micros_in_front = 0,
                 micros_behind = 0;  // of these, moves of constants and the like, which nothing waits for
};

/// Where moves bring a constant into a register, in front of the first instruction of the block that reads it or at the block's end.
struct MadeConstant {
    std::uint16_t number;
    std::uint32_t block;
    bool at_end;
};

struct MachineFunction {
    ir::Module const* module = nullptr;
    ir::Function const* function = nullptr;
    std::uint32_t program_registers = 0;  // registers after these were added for spilled values
    // As the PTX says: guards included.
    Lists reads, writes;
    // As the hardware does: copies are looked through, constants left out.
    std::vector<MachineInstruction> instructions;
    Lists machine_reads, machine_writes;
    std::vector<std::uint32_t> same_value;       // per register: one that held its value before, or itself
    std::vector<std::uint32_t> root;             // per register: the one that it is a copy of, or itself
    std::vector<std::int64_t> beyond_root;       // per register: what its value is more than that one's
    std::vector<std::uint32_t> only_definition;  // per register: its only unguarded definition; ir::none
    std::vector<MicroOp> micros;
    std::vector<MadeConstant> constants_made;  // of the numbers in MachineInstruction::moved
    std::vector<MadeConstant> bases_made;      // ... and in MachineInstruction::base

    std::vector<bool> is_kept;     // per register: a predicate kept in a vector register; empty: none
    std::vector<bool> is_uniform;  // per register: is in the uniform file; empty: none is
    std::vector<bool> is_half;     // per register of 64 bits: only one half has a register of its own

    bool in_uniform_file(std::uint32_t reg) const { return reg < is_uniform.size() && is_uniform[reg]; }
    /// 32-bit vector registers that a value takes; predicates and uniform values have files of their own.
    std::uint32_t units(std::uint32_t reg) const {
        if (in_uniform_file(reg)) return 0;
        return reg < is_half.size() && is_half[reg] ? 1 : ir::units_of(function->registers[reg].type);
    }

    /// The old values of what it writes may still be needed in some lanes.
    bool keeps_old(std::uint32_t i) const {
        return function->instructions[i].guard != ir::none && !instructions[i].guarded.replaces;
    }
    std::span<MicroOp const> micros_of(std::uint32_t i) const {
        return {micros.data() + instructions[i].first_micro, instructions[i].micros};
    }
    /// Without moves of constants, which ptxas puts wherever there is room.
    std::span<MicroOp const> own_micros_of(std::uint32_t i) const {
        MachineInstruction const& instruction = instructions[i];
        auto const all = micros_of(i);
        std::size_t const others = std::size_t{instruction.micros_in_front} + instruction.micros_behind;
        return others < all.size() ? all.subspan(instruction.micros_in_front, all.size() - others) : all;
    }
    /// One of its micro-ops is for one of these units.
    bool uses(std::uint32_t i, std::initializer_list<MicroUnit> units) const {
        auto const own = micros_of(i);
        return std::any_of(own.begin(), own.end(), [&](MicroOp const& op) {
            return std::find(units.begin(), units.end(), op.unit) != units.end();
        });
    }
    ir::Instruction const& ir(std::uint32_t i) const { return function->instructions[i]; }
    ir::Form const& form(std::uint32_t i) const { return module->forms[function->instructions[i].form]; }
    std::span<ir::Operand const> operands(std::uint32_t i) const {
        return function->operands_of(function->instructions[i]);
    }
};

/// Adds a constant to a register, as counters and pointers of loops go on.
bool is_advance(MachineFunction const& m, std::uint32_t i);

/// For analyses: what the PTX reads and writes, and what the hardware does.
ir::RegisterUses program_uses(MachineFunction const& m);
ir::RegisterUses machine_uses(MachineFunction const& m);
/// For what the hardware reads and writes, in 32-bit vector registers.
ir::Liveness find_machine_liveness(MachineFunction const& m);

/// With the reads and writes of the PTX; every instruction is issued.
MachineFunction machine_function(ir::Module const& module, ir::Function const& function,
                                 GuardedPaths const& paths);

/// After an insertion of instructions: old number i is now new_first[i], also the number after the last. Adjusts
/// everything that refers to instructions.
void move_places(ir::Function& function, std::vector<std::uint32_t> const& new_first);
/// The same for labels alone, and the block of each instruction from the blocks.
void move_labels(ir::Function& function, std::vector<std::uint32_t> const& new_first);
void number_blocks(ir::Function& function);

}  // namespace warpsim::timing
