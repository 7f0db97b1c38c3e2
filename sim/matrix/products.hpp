// Blocks of products, computed with the vectors of the host: the same bits as reference.hpp, thousands of times as fast.
#pragma once

#include "frontend/isa/table.hpp"
#include "sim/matrix/reference.hpp"

#include <cstdint>

namespace warpsim::sim::matrix {

inline constexpr int block_rows = 16;
inline constexpr int most_words = 16;  // of a row of a, in the order of k
inline constexpr int most_columns = 32;

/// 16 rows of a product as the functions below take them: vectors lie across the rows. Elements of a and b are packed into
/// words of 32 bits in the order of k; c stands in d, an element a word (f16 in the low half).
struct alignas(64) Block {
    std::uint32_t a[most_words][block_rows];
    std::uint32_t d[most_columns][block_rows];
    std::uint32_t b[most_columns][most_words];
    /// Of blocks of k, where the product has scales.
    std::uint8_t a_scales[4][block_rows];
    std::uint8_t b_scales[most_columns][4];
    int words = 0;
    int columns = 0;  // a multiple of eight
};

struct IntegerProduct {
    isa::Type a = isa::Type::s8, b = isa::Type::s8;  // s8, u8, s4, u4, or b1
    bool saturates = false;                          // else the sum wraps
    bool is_and = false;                             // of b1: else xor
};

struct ProductFunctions {
    void (*floats)(FloatProduct const&, Block&);
    void (*integers)(IntegerProduct const&, Block&);
    /// rows[word][8 * half + row] = halves[half][4 * row + word]: four words of 16 rows, as two registers of a warp hold
    /// them.
    void (*words_of_fragment)(std::uint32_t* words, std::uint32_t const* low_half, std::uint32_t const* high_half,
                              std::size_t word_stride);
    /// The other way.
    void (*fragment_of_words)(std::uint32_t* low_half, std::uint32_t* high_half, std::uint32_t const* words,
                              std::size_t word_stride);
};

ProductFunctions const& product_functions(isa::HostIsa host);

/// A matrix of eight rows of eight 16-bit elements, as a register of a warp holds it: to[i][j] = from[j][i]. They may be
/// the same register.
void transpose_halves(std::uint32_t* to, std::uint32_t const* from);

/// Exact; any NaN is the one of f32.
std::uint32_t f32_of_f16(std::uint32_t bits);
/// To nearest even; any NaN is the one of f16.
std::uint32_t f16_of_f32(std::uint32_t bits);

}  // namespace warpsim::sim::matrix
