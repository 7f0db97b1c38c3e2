// Products of 8-bit floats on GPUs that have none for a warp: their elements become f16, of each four of a row first two
// are multiplied and then the others (of a sparse row, the elements of every second four), and c is added last.
#pragma once

#include "sim/matrix/halves.hpp"
#include "sim/matrix/products.hpp"

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

/// Word `to` of the halves of one part: of which word of bytes, and which two of its elements.
struct BytePair {
    std::size_t word, pair;
};
inline constexpr BytePair byte_pair(bool is_sparse, std::size_t part, std::size_t to) {
    return is_sparse ? BytePair{2 * (to / 2) + part, to % 2} : BytePair{to, part};
}

/// A register of eight rows of four words.
inline void to_halves(std::uint32_t* to, std::uint32_t const* from, isa::Type type, bool is_sparse,
                      std::size_t part) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
        BytePair const source = byte_pair(is_sparse, part, lane % 4);
        to[lane] = halves_of_bytes(type, from[lane / 4 * 4 + source.word] >> (16 * source.pair));
    }
}

template <class Multiply>
inline void multiply_through_halves(FloatProduct const& product, TileRegisters const& on, Multiply multiply) {
    FloatProduct part = product;
    part.a = part.b = isa::Type::f16;
    part.accumulator.sum = Sum::aligned;
    Block block;
    TileRegisters inner = on;
    auto const fours = static_cast<std::size_t>(on.words) / 4;
    for (std::size_t i = 0; i < 2 * fours; ++i) inner.a[i] = block.a[i / 2][i % 2];
    for (std::size_t tile = 0; tile < on.count; ++tile) {
        for (std::size_t four = 0; four < fours; ++four) inner.tiles[tile].b[four] = block.b[tile][four];
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::uint32_t& word : block.d[tile][i]) word = 0;
            inner.tiles[tile].c[i] = inner.tiles[tile].d[i] = block.d[tile][i];
        }
    }
    for (std::size_t turn = 0; turn < 2; ++turn) {
        for (std::size_t i = 0; i < 2 * fours; ++i)
            to_halves(block.a[i / 2][i % 2], on.a[i], product.a, product.a_is_sparse, turn);
        for (std::size_t tile = 0; tile < on.count; ++tile) {
            for (std::size_t four = 0; four < fours; ++four)
                to_halves(block.b[tile][four], on.tiles[tile].b[four], product.b, product.a_is_sparse, turn);
        }
        multiply(part, inner);
    }
    for (std::size_t tile = 0; tile < on.count; ++tile) {
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t lane = 0; lane < 32; ++lane) {
                on.tiles[tile].d[i][lane] =
                    sum_of_parts(product.result_is_f16, on.tiles[tile].c[i][lane], block.d[tile][i][lane]);
            }
        }
    }
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
