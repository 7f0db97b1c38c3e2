// A function as the hardware's compiler sees it: which of its PTX instructions cost something, and what those read
// and write. The passes (cleanup, schedule, allocate) fill it in one after the other. Its PTX instructions stay
// what they are: one that costs nothing is still carried out, together with the next that does.
#pragma once

#include "frontend/ir/analysis/liveness.hpp"
#include "frontend/isa/types.hpp"
#include "sim/timing/plan/if_conversion.hpp"
#include "sim/timing/plan/micro_op.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpsim::timing {

using ir::Lists;

enum class Fate : std::uint8_t {
    issued,
    removed,  // a copy, a constant, a value that nobody needs or that is there already
    folded,   // part of the instructions that use its result
};

/// An atomic addition that one lane does for all, for the change alone or for each lane's result, too.
enum class Gathered : std::uint8_t { none, change, result };

struct MachineInstruction {
    Fate fate = Fate::issued;
    bool is_uniform = false;       // for the uniform datapath
    bool takes_product = false;    // a multiply-add: the multiplication was folded into it
    std::uint8_t weight = 1;       // instructions of the PTX that it counts as
    std::uint8_t extra_moves = 0;  // to bring operands into registers that it cannot name where they are
    std::uint8_t prologue = 0;     // of the kernel, before everything else
    Gathered gathered = Gathered::none;
    std::uint8_t convergence = 0;  // notes of who parts, and waits for them, before it
    GuardedPlace guarded;          // what it was before a branch became a guard
    std::uint32_t first_micro = 0;
    std::uint16_t micros = 0;
};

struct MachineFunction {
    ir::Module const* module = nullptr;
    ir::Function const* function = nullptr;
    std::uint32_t program_registers = 0;  // those behind were added for spilled values
    // As the PTX says: guards included.
    Lists reads, writes;
    // As the hardware does: copies looked through, constants left out.
    std::vector<MachineInstruction> instructions;
    Lists machine_reads, machine_writes;
    std::vector<std::uint32_t> root;             // per register: the one that it is a copy of; itself
    std::vector<std::uint32_t> only_definition;  // per register: its one unguarded writer; ir::none
    std::vector<MicroOp> micros;

    std::vector<bool> is_kept;     // per register: a predicate kept in a vector register; empty: none
    std::vector<bool> is_uniform;  // per register: lives in the uniform file; empty: there is none

    bool in_uniform_file(std::uint32_t reg) const { return reg < is_uniform.size() && is_uniform[reg]; }
    /// 32-bit vector registers of a value; predicates and uniform values have files of their own.
    std::uint32_t units(std::uint32_t reg) const {
        return in_uniform_file(reg) ? 0 : ir::units_of(function->registers[reg].type);
    }

    /// Some lanes of what it writes may be needed as they were.
    bool keeps_old(std::uint32_t i) const {
        return function->instructions[i].guard != ir::none && !instructions[i].guarded.replaces;
    }
    ir::Instruction const& ir(std::uint32_t i) const { return function->instructions[i]; }
    ir::Form const& form(std::uint32_t i) const { return module->forms[function->instructions[i].form]; }
    std::span<ir::Operand const> operands(std::uint32_t i) const {
        return function->operands_of(function->instructions[i]);
    }
};

/// What the PTX reads and writes, to an analysis; what the hardware does.
ir::RegisterUses program_uses(MachineFunction const& m);
ir::RegisterUses machine_uses(MachineFunction const& m);
/// Of what the hardware reads and writes, in 32-bit vector registers.
ir::Liveness find_machine_liveness(MachineFunction const& m);

/// With what the PTX reads and writes; every instruction is issued.
MachineFunction machine_function(ir::Module const& module, ir::Function const& function,
                                 GuardedPaths const& paths);

/// Instructions were put in: number i begins at new_first[i] now, also the one behind the last. Moves what names
/// places.
void move_places(ir::Function& function, std::vector<std::uint32_t> const& new_first);

}  // namespace warpsim::timing
