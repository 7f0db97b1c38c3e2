// Matrices of tcgen05.mma where the manual's formulas and figures have them: in shared memory, and D in tensor memory.
#pragma once

#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/tensor_layouts.hpp"
#include "tests/support/tensor_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::test {

struct TensorForm {
    std::string kind;
    Type d, a, b;
    std::uint32_t k;
    std::uint32_t code_d, code_a, code_b;  // in the instruction descriptor
    int bits = 8;                          // of an element in its container
};
inline std::vector<TensorForm> const tensor_forms{
    {"f16", Type::f32, Type::f16, Type::f16, 16, 1, 0, 0, 16},
    {"f16", Type::f16, Type::f16, Type::f16, 16, 0, 0, 0, 16},
    {"f16", Type::f32, Type::bf16, Type::bf16, 16, 1, 1, 1, 16},
    {"tf32", Type::f32, Type::tf32, Type::tf32, 8, 1, 2, 2, 32},
    {"f8f6f4", Type::f32, Type::e4m3, Type::e5m2, 32, 1, 0, 1},
    {"f8f6f4", Type::f16, Type::e5m2, Type::e4m3, 32, 0, 1, 0},
    {"i8", Type::s32, Type::s8, Type::u8, 32, 2, 1, 0},
};

struct TensorChoices {
    std::uint32_t m = 128, n = 64;
    std::uint32_t ctas = 1;
    bool is_weight_stationary = false, a_is_shared = true, adds = true, negates = false;
    std::uint32_t swizzle_a = 0, swizzle_b = 0;
    bool transposes_a = false, transposes_b = false;
    std::uint32_t upper = 0;  // 16: D in the upper halves of the quarters
    std::array<std::uint32_t, 8> disabled{};
    bool disables = false;
    std::string more;  // behind enable-input-d
    int scale = 0;
};

/// Where an element of D is: figures "Layout organization for M = ...".
struct CellOfD {
    std::uint32_t cta, lane, column;
};
inline CellOfD cell_of_d(TensorChoices const& x, std::uint32_t row, std::uint32_t column) {
    if (x.ctas == 2 && x.m == 256) return {row / 128, row % 128, column};                              // A
    if (x.ctas == 2) return {row / 64, row % 64 + (column < x.n / 2 ? 0u : 64u), column % (x.n / 2)};  // B
    if (x.m == 128) return {0, row, column};                                                           // D
    if (x.m == 32) return {0, row + 32 * (column / (x.n / 4)), column % (x.n / 4)};                    // G
    if (x.is_weight_stationary) return {0, row + (column < x.n / 2 ? 0u : 64u), column % (x.n / 2)};   // E
    return {0, row / 16 * 32 + row % 16 + x.upper, column};                                            // F
}
/// The lanes that compute with a row of a: copies of it must stand in all of them.
inline std::vector<std::uint32_t> lanes_of_row(TensorChoices const& x, std::uint32_t row) {
    std::vector<std::uint32_t> lanes;
    for (std::uint32_t column = 0; column < x.n; column += x.n / 4) {
        std::uint32_t const lane = cell_of_d(x, row, column).lane;
        if (lanes.empty() || lanes.back() != lane) lanes.push_back(lane);
    }
    return lanes;
}

inline constexpr std::uint32_t column_of_d = 0, column_of_a = 256, base_of_b = 16384;

inline void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint32_t code, std::uint32_t size) {
    for (std::uint32_t i = 0; i < size; ++i) bytes.at(at + i) = static_cast<std::uint8_t>(code >> (8 * i));
}

inline std::size_t differing_words(std::vector<TensorCells> const& got, std::vector<TensorCells> const& want) {
    REQUIRE(got.size() == want.size());
    std::size_t count = 0;
    for (std::size_t cta = 0; cta < want.size(); ++cta)
        for (std::size_t w = 0; w < want[cta].words.size(); ++w) count += got[cta].words[w] != want[cta].words[w];
    return count;
}

/// The words of a row of a or a column of b, for the definition of an element.
inline std::vector<std::uint32_t> packed_line(std::vector<std::uint32_t> const& codes, int bits) {
    std::vector<std::uint32_t> words(codes.size() * static_cast<std::size_t>(bits) / 32);
    for (std::size_t k = 0; k < codes.size(); ++k)
        words[k * static_cast<std::size_t>(bits) / 32] |= codes[k] << (k * static_cast<std::size_t>(bits) % 32);
    return words;
}

}  // namespace warpsim::test
