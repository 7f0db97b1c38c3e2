#include "sim/exec/matrix/matrix_products.hpp"

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::sim {

using matrix::Block;
using matrix::block_rows;

namespace {

/// Rounds as the instruction says, for as long as it lives.
class ScopedRounding {
public:
    explicit ScopedRounding(isa::Rounding rounding) : saved_(std::fegetround()) {
        std::fesetround(rounding == isa::Rounding::rz   ? FE_TOWARDZERO
                        : rounding == isa::Rounding::rm ? FE_DOWNWARD
                        : rounding == isa::Rounding::rp ? FE_UPWARD
                                                        : FE_TONEAREST);
    }
    ~ScopedRounding() { std::fesetround(saved_); }
    ScopedRounding(ScopedRounding const&) = delete;
    ScopedRounding& operator=(ScopedRounding const&) = delete;

private:
    int saved_;
};

/// Of operands that are NaN b hands its payload on before c does, made quiet, and c before a, as in fma.
double settled(double result, double a, double b, double c) {
    if (!std::isnan(result)) return result;
    for (double const operand : {b, c, a}) {
        if (std::isnan(operand)) return std::bit_cast<double>(std::bit_cast<std::uint64_t>(operand) | 1ull << 51);
    }
    return result;
}

// ---- m8n8k4 of f16 -----------------------------------------------------------------------------------------------

/// Lane `i` of the eight that compute product `group`.
constexpr std::size_t lane_of_group(std::size_t group, std::size_t i) {
    return 4 * group + i % 4 + (i < 4 ? 0 : 16);
}

struct SumCell {
    std::size_t row, column;
};
/// Where element `e` of lane i of a group is, in c and d.
constexpr SumCell cell_of_sum(std::size_t i, std::size_t e, bool is_f16) {
    std::size_t const upper = i < 4 ? 0 : 4;
    if (is_f16) return {i % 4 + upper, e};
    return {(i & 1) + (e & 2) + upper, (e & 4) + (i & 2) + (e & 1)};
}

/// Reads and writes the elements of one group.
class LaneGroup {
public:
    LaneGroup(Fragments const& fragments, Multiplication const& m, std::size_t number)
        : fragments_(fragments), m_(m), number_(number) {}

    void read(Block& block) const {
        block = {};
        block.words = 4;
        block.columns = 8;
        for (std::size_t j = 0; j < 8; ++j) {
            std::size_t const lane = lane_of_group(number_, j), upper = j < 4 ? 0 : 4;
            for (std::size_t e = 0; e < 4; ++e) {
                std::size_t const a_row = m_.a_is_column ? e + upper : j, a_k = m_.a_is_column ? j % 4 : e;
                std::size_t const b_column = m_.b_is_row ? e + upper : j, b_k = m_.b_is_row ? j % 4 : e;
                block.a_at(a_row, a_k / 2) |= half(m_.a, lane, e) << (16 * (a_k % 2));
                block.b_at(b_column, b_k / 2) |= half(m_.b, lane, e) << (16 * (b_k % 2));
            }
            for (std::size_t e = 0; e < 8; ++e) {
                auto const [row, column] = cell_of_sum(j, e, m_.c_is_f16);
                std::uint32_t c = m_.c_is_f16 ? half(m_.c, lane, e) : fragments_.words(m_.c, e)[lane];
                // What is added is f32 where the result is.
                if (m_.c_is_f16 && !m_.d_is_f16) c = matrix::f32_of_f16(c);
                block.d_at(row, column) = c;
            }
        }
    }

    void add_results(Block const& block, std::uint32_t (*results)[32]) const {
        for (std::size_t j = 0; j < 8; ++j) {
            std::size_t const lane = lane_of_group(number_, j);
            for (std::size_t e = 0; e < 8; ++e) {
                auto const [row, column] = cell_of_sum(j, e, m_.d_is_f16);
                std::uint32_t const d = block.d_at(row, column);
                if (m_.d_is_f16) results[e / 2][lane] |= d << (16 * (e % 2));
                else results[e][lane] = d;
            }
        }
    }

private:
    std::uint32_t half(std::vector<isa::Slot> const& list, std::size_t lane, std::size_t e) const {
        return fragments_.words(list, e / 2)[lane] >> (16 * (e % 2)) & 0xffff;
    }

    Fragments const& fragments_;
    Multiplication const& m_;
    std::size_t number_;
};

std::span<std::uint32_t> results_of(Block& block) {
    return {block.d[0][0], static_cast<std::size_t>(block.columns) * block_rows};
}

/// .satfinite of floats: no infinity, and zero for NaN.
void make_finite(Block& block, bool is_f16) {
    std::uint32_t const sign = is_f16 ? 0x8000u : 0x80000000u, infinity = is_f16 ? 0x7c00u : 0x7f800000u;
    for (std::uint32_t& d : results_of(block)) {
        std::uint32_t const magnitude = d & (sign - 1);
        if (magnitude == infinity) d = (d & sign) | (infinity - 1);
        else if (magnitude > infinity) d = 0;
    }
}

}  // namespace

matrix::FloatProduct float_product(WarpInstruction const& i, Multiplication const& m) {
    matrix::FloatProduct product = m.floats;
    product.accumulator = i.launch().matrix.*m.accumulator;
    return product;
}

void multiply_doubles(WarpInstruction const& i, Multiplication const& m) {
    Fragments const fragments(i.warp.bases, m);
    ScopedRounding const rounding(m.rounding);
    std::size_t const halves = m.rows / 8;
    std::vector<double> results;
    for (std::size_t half = 0; half < halves; ++half) {
        for (std::size_t odd = 0; odd < 2; ++odd) {
            for (std::size_t lane = 0; lane < 32; ++lane) {
                std::size_t const row = lane / 4, column = 2 * (lane % 4) + odd;
                double sum = fragments.column<double>(m.c[2 * half + odd])[lane];
                for (std::size_t k = 0; k < m.k; ++k) {
                    double const a = fragments.column<double>(m.a[k / 4 * halves + half])[4 * row + k % 4];
                    double const b = fragments.column<double>(m.b[k / 4])[4 * column + k % 4];
                    sum = settled(std::fma(a, b, sum), a, b, sum);
                }
                results.push_back(sum);
            }
        }
    }
    for (std::size_t r = 0; r < m.d.size(); ++r)
        std::memcpy(fragments.column<double>(m.d[r]), &results[32 * r], 32 * sizeof(double));
}

void multiply_groups(WarpInstruction const& i, Multiplication const& m) {
    Fragments const fragments(i.warp.bases, m);
    matrix::FloatProduct const product = float_product(i, m);
    std::uint32_t results[8][32] = {};
    for (std::size_t number = 0; number < 4; ++number) {
        LaneGroup const group(fragments, m, number);
        Block block;
        group.read(block);
        m.functions->floats(product, block);
        group.add_results(block, results);
    }
    for (std::size_t r = 0; r < m.d.size(); ++r)
        std::memcpy(fragments.words(m.d, r), results[r], sizeof results[r]);
}

void multiply_in_place(WarpInstruction const& i, Multiplication const& m) {
    Fragments const fragments(i.warp.bases, m);
    matrix::TileRegisters on;
    on.words = static_cast<int>(2 * m.a.size());
    on.count = m.column_tiles;
    std::size_t const fours = m.a.size() / 2;
    for (std::size_t r = 0; r < m.a.size(); ++r) on.a[r] = fragments.words(m.a, r);
    for (std::size_t j = 0; j < on.count; ++j) {
        for (std::size_t r = 0; r < fours; ++r) on.tiles[j].b[r] = fragments.words(m.b, j * fours + r);
        for (std::size_t r = 0; r < 4; ++r) {
            on.tiles[j].c[r] = fragments.words(m.c, 4 * j + r);
            on.tiles[j].d[r] = fragments.words(m.d, 4 * j + r);
        }
    }
    if (isa::is_float(m.floats.a)) m.functions->float_tiles(float_product(i, m), on);
    else m.functions->integer_tiles(m.integers, on);
}

void multiply_tiles(WarpInstruction const& i, Multiplication const& m) {
    Fragments const fragments(i.warp.bases, m);
    bool const is_float = isa::is_float(m.floats.a);
    matrix::FloatProduct const floats = is_float ? float_product(i, m) : matrix::FloatProduct{};
    // d may be written where another tile's a, b or c stands: all are read before.
    Block blocks[2];
    for (std::size_t t = 0; t < m.row_tiles; ++t) {
        Block& block = blocks[t];
        fragments.read_b(block);
        fragments.read_addend(block, t);
        if (m.scales != 0) read_scales(i, m, block);
        if (m.is_sparse) {
            RowsOfA packed;
            fragments.read_a(packed, t);
            multiply_sparse(i, m, floats, packed, block);
        } else {
            fragments.read_a(block.a, t);
            if (is_float) m.functions->floats(floats, block);
            else m.functions->integers(m.integers, block);
        }
        if (is_float && m.d_is_f16 && !m.c_is_f16) {
            for (std::uint32_t& d : results_of(block)) d = matrix::f16_of_f32(d);
        }
        if (m.is_finite) make_finite(block, m.d_is_f16);
    }
    for (std::size_t t = 0; t < m.row_tiles; ++t) fragments.write(blocks[t], t);
}

void note_undefined(WarpInstruction const& i, int lane, std::string what) {
    Fault notice = i.parts.execution.faults.blame(i.cta, i.warp, i.op, lane);
    notice.kind = FaultKind::undefined_value;
    notice.function = i.function.index;
    notice.what = std::move(what);
    i.parts.execution.note(std::move(notice));
}

}  // namespace warpsim::sim
