#include "sim/exec/matrix/fragments.hpp"

#include <cstring>
#include <span>

namespace warpsim::sim {

using matrix::Block;

namespace {

constexpr std::size_t register_bytes = 32 * sizeof(std::uint32_t);

}  // namespace

void Fragments::read_a(RowsOfA& rows, std::size_t row_tile) const {
    std::size_t const count = m_.a.size() / m_.row_tiles, first = row_tile * count;
    if (halves() == 2) return load(rows[0][0], m_.a, first, count);
    // A tile of eight rows has no others.
    for (std::size_t four = 0; four < count; ++four) {
        load(rows[four][0], m_.a, first + four, 1);
        std::memset(rows[four][1], 0, register_bytes);
    }
}

void Fragments::read_b(Block& block) const {
    std::size_t const count = m_.b.size() / m_.column_tiles;
    for (std::size_t j = 0; j < m_.column_tiles; ++j) load(block.b[j][0], m_.b, j * count, count);
    block.words = static_cast<int>(4 * count);
    block.columns = static_cast<int>(8 * m_.column_tiles);
}

void Fragments::read_addend(Block& block, std::size_t row_tile) const {
    for (std::size_t j = 0; j < m_.column_tiles; ++j) {
        std::size_t const first = (row_tile * m_.column_tiles + j) * m_.c.size() / m_.tiles();
        std::uint32_t(*const to)[32] = block.d[j];
        if (halves() == 1) std::memset(to[2], 0, 2 * register_bytes);
        if (!m_.c_is_f16) {
            load(to[0], m_.c, first, 2 * halves());
            continue;
        }
        for (std::size_t half = 0; half < halves(); ++half) {
            // Two neighbours share a register.
            std::uint32_t const* const pairs = words(m_.c, first + half);
            for (std::size_t lane = 0; lane < 32; ++lane) {
                to[2 * half][lane] = pairs[lane] & 0xffff;
                to[2 * half + 1][lane] = pairs[lane] >> 16;
            }
        }
        for (std::size_t i = 0; i < 4 && !m_.d_is_f16; ++i)
            for (std::uint32_t& c : std::span(to[i], 32)) c = matrix::f32_of_f16(c);
    }
}

void Fragments::write(Block const& block, std::size_t row_tile) const {
    for (std::size_t j = 0; j < m_.column_tiles; ++j) {
        std::size_t const first = (row_tile * m_.column_tiles + j) * m_.d.size() / m_.tiles();
        std::uint32_t const(*const from)[32] = block.d[j];
        if (!m_.d_is_f16) {
            m_.functions->store_registers(from[0], bases_, &m_.d[first], 2 * halves());
            continue;
        }
        for (std::size_t half = 0; half < halves(); ++half) {
            std::uint32_t* const pairs = words(m_.d, first + half);
            for (std::size_t lane = 0; lane < 32; ++lane)
                pairs[lane] = (from[2 * half][lane] & 0xffff) | from[2 * half + 1][lane] << 16;
        }
    }
}

}  // namespace warpsim::sim
