// Products of integers and of bits: exact, modulo 2^32 or saturated.
#pragma once

#include "sim/matrix/lanes/vectors.hpp"
#include "sim/matrix/products.hpp"

#include <cstddef>

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

/// One of two bytes or four nibbles of each half of a word, as integers of 16 bits.
WARPSIM_INLINE Pairs plane_of(Words word, int element_bits, int index, bool is_signed) {
    int const to_top = 16 - element_bits * (index + 1);
    Pairs const top = as<Pairs>(as<WordPairs>(word) << to_top);
    return is_signed ? top >> (16 - element_bits) : as<Pairs>(as<WordPairs>(top) >> (16 - element_bits));
}

WARPSIM_INLINE Ints ones(Words x) {
    x = x - (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    x = x + (x >> 8);
    return as<Ints>((x + (x >> 16)) & 0x3fu);
}

WARPSIM_INLINE void add_and_store(Ints total, bool saturates, std::uint32_t* d) {
    Ints const c = load<Ints>(d);
    Ints const sum = as<Ints>(as<Words>(total) + as<Words>(c));
    Ints const overflow = ((total ^ sum) & (c ^ sum)) >> 31;
    Ints const most = (c >> 31) ^ 0x7fffffff;
    store(d, saturates ? (sum & ~overflow) | (most & overflow) : sum);
}

template <int element_bits> inline void sum_integers(IntegerProduct const& product, Block& block) {
    constexpr int planes = 16 / element_bits;
    alignas(64) std::uint32_t a[static_cast<std::size_t>(planes)][most_words][block_rows];
    bool const a_is_signed = isa::is_signed(product.a), b_is_signed = isa::is_signed(product.b);
    for (int w = 0; w < block.words; ++w) {
        for (int row = 0; row < block_rows; row += lanes) {
            Words const word = load<Words>(&block.a[w][row]);
            for (int p = 0; p < planes; ++p) store(&a[p][w][row], plane_of(word, element_bits, p, a_is_signed));
        }
    }
    for (int n = 0; n < block.columns; ++n) {
        alignas(64) std::uint32_t b[static_cast<std::size_t>(planes)][most_words];
        for (int w = 0; w < block.words; w += lanes) {
            Words const word = load<Words>(&block.b[n][w]);
            for (int p = 0; p < planes; ++p) store(&b[p][w], plane_of(word, element_bits, p, b_is_signed));
        }
        for (int row = 0; row < block_rows; row += lanes) {
            Ints total{};
            for (int w = 0; w < block.words; ++w) {
                for (int p = 0; p < planes; ++p) {
                    total += multiply_add_pairs(load<Pairs>(&a[p][w][row]), as<Pairs>(every(b[p][w])));
                }
            }
            add_and_store(total, product.saturates, &block.d[n][row]);
        }
    }
}

template <bool is_and> inline void count_bits(Block& block) {
    for (int n = 0; n < block.columns; ++n) {
        for (int row = 0; row < block_rows; row += lanes) {
            Ints total{};
            for (int w = 0; w < block.words; ++w) {
                Words const a = load<Words>(&block.a[w][row]);
                total += ones(is_and ? a & block.b[n][w] : a ^ block.b[n][w]);
            }
            add_and_store(total, false, &block.d[n][row]);
        }
    }
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
