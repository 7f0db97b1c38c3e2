// What a compiler knows of registers while it cleans up, and the instructions that it folds into others.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <utility>
#include <vector>

namespace warpsim::timing {

enum class Constant : std::uint8_t { none, immediate, bank };  // an operand of its readers; of the constant bank

struct Definitions {
    std::vector<std::uint32_t> count;            // of writers, per register
    std::vector<std::uint32_t> only_definition;  // the one unguarded writer; ir::none
    std::vector<std::uint32_t> root;             // the register that this one is a copy of; itself
    std::vector<Constant> constant;
    std::vector<bool> is_needed;         // of constants: some reader wants it in a register
    std::vector<bool> is_parameter;      // of a function, never written
    std::vector<bool> is_joined;         // per instruction: a copy between registers that become one
    std::vector<bool> is_kept_constant;  // per instruction: brings a constant into a register
    std::vector<std::pair<std::uint32_t, std::uint32_t>> changes;  // register, instruction

    /// A register with several writers is written by an instruction in (from, to).
    bool changes_between(std::uint32_t reg, std::uint32_t from, std::uint32_t to) const;
    /// Takes a register of the hardware.
    bool is_held(std::uint32_t reg) const { return constant[reg] == Constant::none || is_needed[reg]; }
};

Definitions find_definitions(MachineFunction const& m);

bool is_fixed_at_launch(ir::SpecialRegister which);

/// Offsets into addresses, negations into sums, products and shifts into sums, sums into sums, logic into logic.
void fold(MachineFunction& m, Definitions const& d);

}  // namespace warpsim::timing
