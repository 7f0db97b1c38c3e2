// Which cells of tensor memory the instructions move: PTX ISA, "Data Movement Shape".
#pragma once

#include "sim/tensor_memory/tensor_memory.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpsim::sim::tensor_memory {

/// What tcgen05.ld and tcgen05.st move: so many lanes, and bits of each.
enum class AccessShape : std::uint8_t { l16_64b, l16_128b, l16_256b, l16_32b_twice, l32_32b };

constexpr std::uint32_t lanes_of(AccessShape shape) { return shape == AccessShape::l32_32b ? 32 : 16; }

/// Columns between the registers of all threads: those of one half, if there are two.
constexpr std::uint32_t columns_of(AccessShape shape, std::uint32_t registers) {
    bool const is_one = shape == AccessShape::l32_32b || shape == AccessShape::l16_32b_twice;
    return is_one ? registers : 2 * registers;
}

/// Where a register of a thread is, from the address on; `split` is the column at which the second half begins.
constexpr MemoryCell cell_of(AccessShape shape, std::uint32_t thread, std::uint32_t reg, std::uint32_t split) {
    switch (shape) {
        case AccessShape::l16_64b: return {thread / 4 + 8 * (thread % 2), 2 * reg + thread / 2 % 2};
        case AccessShape::l16_128b: return {thread / 4 + 8 * (reg % 2), 4 * (reg / 2) + thread % 4};
        case AccessShape::l16_256b:
            return {thread / 4 + 8 * (reg / 2 % 2), 8 * (reg / 4) + 2 * (thread % 4) + reg % 2};
        case AccessShape::l16_32b_twice: return {thread % 16, reg + thread / 16 * split};
        case AccessShape::l32_32b: break;
    }
    return {thread, reg};
}

/// What tcgen05.cp copies: rows of chunks of 16 bytes, and the lanes that get each row.
struct CopyShape {
    std::uint32_t rows = 0, chunks = 0;
    std::uint32_t copies = 1;           // of a row
    std::uint32_t copy_stride = 0;      // lanes between them
    std::uint32_t rows_together = 128;  // rows in lanes that follow one another ...
    std::uint32_t stride = 0;           // ... and lanes from one such group to the next

    std::uint32_t lane(std::uint32_t row, std::uint32_t copy) const {
        return row % rows_together + row / rows_together * stride + copy * copy_stride;
    }
};

inline constexpr CopyShape copy_128x256b{128, 2};
inline constexpr CopyShape copy_128x128b{128, 1};
/// The rows stand in one lane of each warp.
inline constexpr CopyShape copy_4x256b{4, 2, 1, 0, 1, 32};
/// Warps 0 and 2 get the same, and so do warps 1 and 3.
inline constexpr CopyShape copy_64x128b_02_13{64, 1, 2, 64};
/// Warps 0 and 1 get the same, and so do warps 2 and 3.
inline constexpr CopyShape copy_64x128b_01_23{64, 1, 2, 32, 32, 64};
inline constexpr CopyShape copy_32x128b{32, 1, 4, 32};

}  // namespace warpsim::sim::tensor_memory
