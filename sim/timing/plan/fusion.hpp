// Instructions that the compiler folds into others: multiply with add, shift with add, comparisons into logic on
// predicates, offsets into addresses.
#pragma once

#include "frontend/ir/module.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

enum class Fusion : std::uint8_t {
    none,
    folded,         // costs nothing: part of the instruction that uses it
    multiply_add,   // takes in a multiplication: one instruction of the multiplier
};

/// Per instruction of the function.
std::vector<Fusion> find_fusions(ir::Module const& module, ir::Function const& function);

}  // namespace warpsim::timing
