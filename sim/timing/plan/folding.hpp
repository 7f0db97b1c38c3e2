// What a compiler knows about registers while it cleans up, and the instructions that it folds into others.
#pragma once

#include "sim/timing/plan/machine_function.hpp"

#include <utility>
#include <vector>

namespace warpsim::timing {

enum class Constant : std::uint8_t {
    none,
    immediate,
    bank
};  // immediate operand of its readers; in the constant bank

struct Definitions {
    std::vector<std::uint32_t> count;            // of definitions, per register
    std::vector<std::uint32_t> only_definition;  // the one unguarded definition; ir::none
    std::vector<std::uint32_t> root;             // the register that this one is a copy of, or itself
    std::vector<std::int64_t> beyond_root;       // how much more than that, if rounds of a loop share an address
    std::vector<std::uint32_t>
        holder;  // the register that holds its value, or all of it but an offset of its accesses
    std::vector<Constant> constant;
    std::vector<bool> is_needed;         // for constants: some reader needs it in a register
    std::vector<bool> is_half;           // of 64 bits: only one half has a register of its own
    std::vector<bool> is_upper;          // that is the upper one, and another register holds the lower
    std::vector<bool> is_parameter;      // of a function, never written
    std::vector<bool> is_joined;         // per instruction: a copy between registers that are merged
    std::vector<bool> is_kept_constant;  // per instruction: moves a constant into a register
    std::vector<std::pair<std::uint32_t, std::uint32_t>> changes;  // register, instruction

    /// A register with several definitions changes between `from` and `to`, both excluded.
    bool changes_between(std::uint32_t reg, std::uint32_t from, std::uint32_t to) const;
    /// The value occupies a hardware register.
    bool is_held(std::uint32_t reg) const { return constant[reg] == Constant::none || is_needed[reg]; }
};

Definitions find_definitions(MachineFunction const& m);

bool is_fixed_at_launch(ir::SpecialRegister which);

/// A load whose result is in the constant bank at a known place, for its readers to name: of a kernel parameter, or of 32
/// bits or more of a constant variable.
bool is_constant_operand(MachineFunction const& m, std::vector<std::uint32_t> const& only_definition,
                         std::uint32_t i);

/// Folds offsets into addresses, negations into sums, products and shifts into sums, sums into sums, logic into
/// logic.
void fold(MachineFunction& m, Definitions const& d, int capability);

}  // namespace warpsim::timing
