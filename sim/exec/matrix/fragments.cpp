#include "sim/exec/matrix/fragments.hpp"

#include <cstring>
#include <span>

namespace warpsim::sim {

using matrix::Block;
using matrix::block_rows;

namespace {

/// The other eight rows of a tile that has but eight.
constexpr std::uint32_t no_rows[32] = {};

}  // namespace

std::size_t Fragments::words_of_a() const { return 4 * m_.a.size() / (m_.row_tiles * halves()); }

void Fragments::read_a(std::uint32_t (*words_of_rows)[block_rows], std::size_t row_tile) const {
    std::size_t const count = m_.a.size() / m_.row_tiles, first = row_tile * count;
    for (std::size_t r = 0; r < count; r += halves()) {
        std::uint32_t const* const low = words(m_.a, first + r);
        std::uint32_t const* const high = halves() == 2 ? words(m_.a, first + r + 1) : no_rows;
        m_.functions->words_of_fragment(words_of_rows[4 * (r / halves())], low, high, block_rows);
    }
}

void Fragments::read_b(Block& block) const {
    std::size_t const count = m_.b.size() / m_.column_tiles;
    for (std::size_t r = 0; r < m_.b.size(); ++r) {
        std::uint32_t const* const column = words(m_.b, r);
        for (std::size_t n = 0; n < 8; ++n)
            std::memcpy(&block.b[8 * (r / count) + n][4 * (r % count)], column + 4 * n, 16);
    }
    block.words = static_cast<int>(4 * count);
    block.columns = static_cast<int>(8 * m_.column_tiles);
}

/// Two numbers of f16 share a register: eight columns, one after the other.
void Fragments::read_pairs(std::uint32_t (*columns)[block_rows], std::size_t first) const {
    std::uint32_t pairs[4][block_rows];
    std::uint32_t const* const high = halves() == 2 ? words(m_.c, first + 1) : no_rows;
    m_.functions->words_of_fragment(pairs[0], words(m_.c, first), high, block_rows);
    for (std::size_t t = 0; t < 4; ++t) {
        for (std::size_t row = 0; row < block_rows; ++row) {
            columns[2 * t][row] = pairs[t][row] & 0xffff;
            columns[2 * t + 1][row] = pairs[t][row] >> 16;
        }
    }
}

void Fragments::read_addend(Block& block, std::size_t row_tile) const {
    for (std::size_t j = 0; j < m_.column_tiles; ++j) {
        std::size_t const first = (row_tile * m_.column_tiles + j) * m_.c.size() / m_.tiles();
        std::uint32_t(*const columns)[block_rows] = block.d + 8 * j;
        if (m_.c_is_f16) {
            read_pairs(columns, first);
            for (std::size_t n = 0; n < 8 && !m_.d_is_f16; ++n) {
                for (std::uint32_t& c : std::span(columns[n])) c = matrix::f32_of_f16(c);
            }
            continue;
        }
        for (std::size_t odd = 0; odd < 2; ++odd) {
            std::uint32_t const* const high = halves() == 2 ? words(m_.c, first + 2 + odd) : no_rows;
            m_.functions->words_of_fragment(columns[odd], words(m_.c, first + odd), high, 2 * block_rows);
        }
    }
}

void Fragments::write(Block& block, std::size_t row_tile) const {
    std::uint32_t unused[32];
    for (std::size_t j = 0; j < m_.column_tiles; ++j) {
        std::size_t const first = (row_tile * m_.column_tiles + j) * m_.d.size() / m_.tiles();
        std::uint32_t(*const columns)[block_rows] = block.d + 8 * j;
        if (m_.d_is_f16) {
            std::uint32_t pairs[4][block_rows];
            for (std::size_t t = 0; t < 4; ++t) {
                for (std::size_t row = 0; row < block_rows; ++row)
                    pairs[t][row] = (columns[2 * t][row] & 0xffff) | columns[2 * t + 1][row] << 16;
            }
            std::uint32_t* const high = halves() == 2 ? words(m_.d, first + 1) : unused;
            m_.functions->fragment_of_words(words(m_.d, first), high, pairs[0], block_rows);
            continue;
        }
        for (std::size_t odd = 0; odd < 2; ++odd) {
            std::uint32_t* const high = halves() == 2 ? words(m_.d, first + 2 + odd) : unused;
            m_.functions->fragment_of_words(words(m_.d, first + odd), high, columns[odd], 2 * block_rows);
        }
    }
}

}  // namespace warpsim::sim
