// Blocks of products, computed with the vectors of the host: the same bits as reference.hpp, thousands of times as fast.
#pragma once

#include "frontend/isa/operands.hpp"
#include "frontend/isa/table.hpp"
#include "sim/matrix/reference.hpp"

#include <cstddef>
#include <cstdint>

namespace warpsim::sim::matrix {

inline constexpr int block_rows = 16;
inline constexpr int most_words = 16;  // of a row of a, in the order of k
inline constexpr int most_columns = 32;
inline constexpr int most_scales = 6;  // of a row, or of a column

/// 16 rows of a product, as the registers of a warp hold them for mma: eight rows of a, or eight columns of b, of four words
/// of 32 bits; eight rows of every second one of eight columns of d. Elements of a and b are packed into words in the order
/// of k; c stands in d, an element a word (f16 in the low half).
struct alignas(64) Block {
    std::uint32_t a[most_words / 4][2][32];
    std::uint32_t b[most_columns / 8][most_words / 4][32];
    std::uint32_t d[most_columns / 8][4][32];
    /// Of blocks of k, where the product has scales.
    std::uint8_t a_scales[most_scales][block_rows];
    std::uint8_t b_scales[most_columns][most_scales];
    int words = 0;    // of a row of a: a multiple of four; what a shorter row does not have is zero
    int columns = 0;  // a multiple of eight

    std::uint32_t& a_at(std::size_t row, std::size_t word) { return a[word / 4][row / 8][lane_of(row, word)]; }
    std::uint32_t a_at(std::size_t row, std::size_t word) const {
        return a[word / 4][row / 8][lane_of(row, word)];
    }
    std::uint32_t& b_at(std::size_t column, std::size_t word) {
        return b[column / 8][word / 4][lane_of(column, word)];
    }
    std::uint32_t b_at(std::size_t column, std::size_t word) const {
        return b[column / 8][word / 4][lane_of(column, word)];
    }
    std::uint32_t& d_at(std::size_t row, std::size_t column) {
        return d[column / 8][2 * (row / 8) + column % 2][lane_of(row, column % 8 / 2)];
    }
    std::uint32_t d_at(std::size_t row, std::size_t column) const {
        return d[column / 8][2 * (row / 8) + column % 2][lane_of(row, column % 8 / 2)];
    }
    static constexpr std::size_t lane_of(std::size_t line, std::size_t word) { return 4 * (line % 8) + word % 4; }
};

/// 16 rows of a product where its operands are: each pointer leads to the 32 words of a register, in the order of a block.
struct TileRegisters {
    struct Tile {
        std::uint32_t const* b[most_words / 4];
        std::uint32_t const* c[4];
        std::uint32_t* d[4];  // none of them is an operand of any tile, but for c of the same place
    };
    std::uint32_t const* a[2 * most_words / 4];
    Tile tiles[most_columns / 8];
    std::size_t count = 0;  // of tiles
    int words = 0;          // of a row of a: a multiple of four
    Block const* scales = nullptr;
};

struct IntegerProduct {
    isa::Type a = isa::Type::s8, b = isa::Type::s8;  // s8, u8, s4, u4, or b1
    bool saturates = false;                          // else the sum wraps
    bool is_and = false;                             // of b1: else xor
};

struct ProductFunctions {
    void (*floats)(FloatProduct const&, Block&);
    void (*integers)(IntegerProduct const&, Block&);
    void (*float_tiles)(FloatProduct const&, TileRegisters const&);
    void (*integer_tiles)(IntegerProduct const&, TileRegisters const&);
    /// Between registers of a warp and those of a block, which follow each other.
    void (*load_registers)(std::uint32_t* to, isa::Bases bases, isa::Slot const* slots, std::size_t count);
    void (*store_registers)(std::uint32_t const* from, isa::Bases bases, isa::Slot const* slots,
                            std::size_t count);
};

ProductFunctions const& product_functions(isa::HostIsa host);

/// Memory of a thread of the host in which the functions of an instruction set keep operands: zeros at first, for as long
/// as the thread lives. It is not thread-local by itself, since threads of programs may have small stacks, which hold that.
void* memory_of_thread(isa::HostIsa host, std::size_t bytes);

/// A matrix of eight rows of eight 16-bit elements, as a register of a warp holds it: to[i][j] = from[j][i]. They may be
/// the same register.
void transpose_halves(std::uint32_t* to, std::uint32_t const* from);

/// Exact; any NaN is the one of f32.
std::uint32_t f32_of_f16(std::uint32_t bits);
/// To nearest even; any NaN is the one of f16.
std::uint32_t f16_of_f32(std::uint32_t bits);

}  // namespace warpsim::sim::matrix
