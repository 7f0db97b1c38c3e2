// A product of matrices whose elements the lanes of a warp share, as planned: mma, mma.sp, wmma.mma, wgmma.mma_async.
#pragma once

#include "frontend/isa/operands.hpp"
#include "frontend/isa/types.hpp"
#include "sim/config/config.hpp"
#include "sim/matrix/products.hpp"

#include <vector>

namespace warpsim::sim {

/// Scales of a or b. A lane's word has those of a row or column; which lanes of each four give theirs, and from which
/// byte on, stands in two columns of 16 bits.
struct ScaleOperand {
    isa::Slot data = 0, byte = 0, thread = 0;
};

struct Multiplication {
    matrix::ProductFunctions const* functions = nullptr;
    matrix::FloatProduct floats;
    matrix::IntegerProduct integers;
    AccumulatorConfig MatrixConfig::*accumulator = nullptr;  // of floats
    isa::Rounding rounding = isa::Rounding::rn;              // of f64

    // wmma is made of tiles, which have the fragments of mma: 8 or 16 rows and eight columns.
    std::size_t rows = 16, k = 0;
    std::size_t row_tiles = 1, column_tiles = 1;
    bool a_is_column = false, b_is_row = false;  // of m8n8k4 of f16
    bool c_is_f16 = false, d_is_f16 = false;     // the sum is f16 if both are
    bool is_finite = false;                      // .satfinite of floats

    std::vector<isa::Slot> d, a, b, c;  // columns of registers of 32 bits, or of f64
    bool is_in_place = false;           // computed from these registers and into them, without blocks

    bool is_sparse = false, is_ordered = false;
    isa::Slot metadata = 0;
    std::size_t selector = 0;

    std::size_t scales = 0;  // of a row of a, and of a column of b; 0: there are none
    ScaleOperand scale_a, scale_b;

    std::size_t tiles() const { return row_tiles * column_tiles; }
};

}  // namespace warpsim::sim
