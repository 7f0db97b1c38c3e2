// Matrices of eight rows of 16 bytes between memory and the registers of a warp, of which four lanes hold a row.
#pragma once

#include "sim/exec/copy_bytes.hpp"
#include "sim/matrix/products.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpsim::sim {

/// Where the rows are in the host's memory.
using EightRows = std::array<std::byte*, 8>;

/// Transposed: a matrix of elements of 16 bits, whose rows become the columns of the registers.
inline void load_rows(std::uint32_t* column, EightRows const& rows, bool is_transposed) {
    for (std::size_t r = 0; r < rows.size(); ++r)
        copy_sixteen(reinterpret_cast<std::byte*>(column + 4 * r), rows[r]);
    if (is_transposed) matrix::transpose_halves(column, column);
}
inline void store_rows(EightRows const& rows, std::uint32_t const* column, bool is_transposed) {
    std::uint32_t transposed[32];
    if (is_transposed) {
        matrix::transpose_halves(transposed, column);
        column = transposed;
    }
    for (std::size_t r = 0; r < rows.size(); ++r)
        copy_sixteen(rows[r], reinterpret_cast<std::byte const*>(column + 4 * r));
}

}  // namespace warpsim::sim
