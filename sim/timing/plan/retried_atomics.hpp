// Atomics that shared memory has no unit for, such as sums of floats: a loop that loads, computes and stores unless another lane has
// stored in between (ATOMS.CAST.SPIN).
#pragma once

#include "frontend/ir/module.hpp"

#include <cstdint>
#include <string_view>

namespace warpsim::timing {

struct Retried {
    std::string_view round;        // its micro-ops, in letters of append(); empty: no such atomic
    std::uint8_t free_passes = 1;  // of shared memory, where no lane meets another
};

Retried retried(ir::Form const& form);

}  // namespace warpsim::timing
