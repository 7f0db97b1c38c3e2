// How a fragment of wmma is moved between registers and memory: by which loads or stores, and by what else. ptxas 13.0 does so for
// sm_75 to sm_90, whatever the shape.
#pragma once

#include "frontend/ir/module.hpp"
#include "sim/exec/op.hpp"
#include "sim/matrix/layout.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::sim {

struct FragmentAccesses {
    matrix::Layout const& layout;
    bool is_factor = false;       // a or b of a product
    bool is_by_matrices = false;  // by ldmatrix
    std::uint32_t parts = 1;      // of a register: elements that are no neighbours in memory
    std::vector<Joins> joins{};   // of each register, and each part of it
    std::uint32_t count = 0;      // accesses of the machine
    // What else is executed: matrices of 8 x 8 halves that are transposed, registers that are put together from bytes.
    std::uint32_t transposes = 0, packed = 0;
};

/// Of wmma.load or wmma.store with so many registers.
FragmentAccesses fragment_accesses(ir::Form const& form, std::size_t registers);

}  // namespace warpsim::sim
