// What carries out a product of matrices: of f64, of Volta's groups of eight lanes, and of all others.
#pragma once

#include "sim/exec/matrix/fragments.hpp"
#include "sim/exec/warp_instruction.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace warpsim::sim {

/// Chains of fused multiply-adds in the order of k.
void multiply_doubles(WarpInstruction const& i, Multiplication const& m);
/// m8n8k4 of f16: four products, each by eight lanes.
void multiply_groups(WarpInstruction const& i, Multiplication const& m);
/// Of registers that are tiles as they are (Multiplication::is_in_place).
void multiply_in_place(WarpInstruction const& i, Multiplication const& m);
/// Products in tiles of 8 or 16 rows and eight columns; a may be sparse, and a and b may have scales.
void multiply_tiles(WarpInstruction const& i, Multiplication const& m);

/// With the numerics of the launch's GPU.
matrix::FloatProduct float_product(WarpInstruction const& i, Multiplication const& m);

/// The product of a tile whose a is sparse; `packed` has the elements that are there. d stands in the block, as c did.
void multiply_sparse(WarpInstruction const& i, Multiplication const& m, matrix::FloatProduct const& floats,
                     RowsOfA const& packed, matrix::Block& block);

/// The metadata of a tile, as the lanes of a warp hold it, and who is told of places that it must not name.
struct SparseRows {
    std::uint32_t const* metadata = nullptr;
    std::function<void(int lane, std::string what)> tell;
};
void multiply_sparse(SparseRows const& rows, Multiplication const& m, matrix::FloatProduct const& floats,
                     RowsOfA const& packed, matrix::Block& block);

/// The scales of all rows and columns of the block, of which m.scales belong to each.
void read_scales(WarpInstruction const& i, Multiplication const& m, matrix::Block& block);

/// Reports undefined behaviour of a lane that does not end the kernel.
void note_undefined(WarpInstruction const& i, int lane, std::string what);

}  // namespace warpsim::sim
