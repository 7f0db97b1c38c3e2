// Products of integers and of bits: exact, modulo 2^32 or saturated.
#pragma once

#include "sim/matrix/lanes/decode.hpp"

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

WARPSIM_INLINE void add_and_store(Ints total, bool saturates, std::uint32_t const* from, std::uint32_t* d) {
    Ints const c = load<Ints>(from);
    Ints const sum = as<Ints>(as<Words>(total) + as<Words>(c));
    Ints const overflow = ((total ^ sum) & (c ^ sum)) >> 31;
    Ints const most = (c >> 31) ^ 0x7fffffff;
    store(d, saturates ? (sum & ~overflow) | (most & overflow) : sum);
}

/// As Rows and Tile, of integers of 16 bits by two.
struct alignas(64) IntegerRows {
    std::uint32_t values[most_words][row_words];
};
struct alignas(64) IntegerTile {
    std::uint32_t values[8 * most_words][lanes];
};

template <int element_bits> inline void widen_rows(IntegerRows& to, TileRegisters const& on, bool is_signed) {
    constexpr int planes = 16 / element_bits;
    for (int four = 0; four < on.words / 4; ++four) {
        for (int at = 0; at < row_words; at += lanes) {
            Words const words = load<Words>(on.a[2 * four + at / 32] + at % 32);
            for (int p = 0; p < planes; ++p)
                store(&to.values[four * planes + p][at], plane_of(words, element_bits, p, is_signed));
        }
    }
}

template <int element_bits>
inline void widen_tile(IntegerTile& to, TileRegisters const& on, std::size_t tile, bool is_signed) {
    constexpr int planes = 16 / element_bits;
    for (int four = 0; four < on.words / 4; ++four) {
        Words transposed[vectors_of_four];
        transpose_columns(transposed, on.tiles[tile].b[four]);
        for (int v = 0; v < vectors_of_four; ++v) {
            for (int p = 0; p < planes; ++p) {
                store_fours(&to.values[place_in_tile(p, 4 * four) + v * lanes / 4],
                            plane_of(transposed[v], element_bits, p, is_signed));
            }
        }
    }
}

/// totals += f(a, b), for all of a row and eight columns: of the even and the odd ones.
template <int planes, class F>
WARPSIM_INLINE void sum_words(Ints (&totals)[2], IntegerRows const& a, IntegerTile const& b, int words, int at,
                              F const& f) {
    for (int four = 0; four < words / 4; ++four) {
        unrolled<0, planes>([&]<int plane>() __attribute__((always_inline)) {
            Pairs const of_a = load<Pairs>(&a.values[four * planes + plane][at]);
            auto const* const of_b = &b.values[place_in_tile(plane, 4 * four)];
            unrolled<0, 4>([&]<int word>() __attribute__((always_inline)) {
                Pairs const of_row = spread<word>(of_a);
                for (int odd = 0; odd < 2; ++odd) totals[odd] += f(of_row, load<Pairs>(of_b[2 * word + odd]));
            });
        });
    }
}

template <int planes, class F>
inline void sum_tile(IntegerRows const& a, IntegerTile const& b, bool saturates, TileRegisters const& on,
                     std::size_t tile, F const& f) {
    for (int at = 0; at < row_words; at += lanes) {
        Ints totals[2]{};
        sum_words<planes>(totals, a, b, on.words, at, f);
        for (int odd = 0; odd < 2; ++odd) {
            int const number = at / 32 * 2 + odd;
            add_and_store(totals[odd], saturates, on.tiles[tile].c[number] + at % 32,
                          on.tiles[tile].d[number] + at % 32);
        }
    }
}

template <int element_bits> inline void sum_integers(IntegerProduct const& product, TileRegisters const& on) {
    IntegerRows a;
    widen_rows<element_bits>(a, on, isa::is_signed(product.a));
    for (std::size_t tile = 0; tile < on.count; ++tile) {
        IntegerTile b;
        widen_tile<element_bits>(b, on, tile, isa::is_signed(product.b));
        sum_tile<16 / element_bits>(a, b, product.saturates, on, tile,
                                    [](Pairs x, Pairs y) { return multiply_add_pairs(x, y); });
    }
}

template <bool is_and> inline void count_bits(TileRegisters const& on) {
    IntegerRows a;
    widen_rows<16>(a, on, true);
    for (std::size_t tile = 0; tile < on.count; ++tile) {
        IntegerTile b;
        widen_tile<16>(b, on, tile, true);
        sum_tile<1>(a, b, false, on, tile,
                    [](Pairs x, Pairs y) { return ones(as<Words>(is_and ? x & y : x ^ y)); });
    }
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
