#include "sim/exec/tensor/tensor_product.hpp"

#include "sim/exec/matrix/matrix_products.hpp"
#include "sim/exec/tensor/tensor_lines.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

namespace warpsim::sim {

namespace {

using matrix::Block;
using matrix::block_rows;
using tensor_memory::Instruction;
using tensor_memory::Segment;
using tensor_memory::TensorMemory;

std::uint32_t sign_bits(Instruction const& i, isa::Type type) {
    if (is_packed(i.variation.kind)) return 0x88888888u;
    switch (type) {
        case isa::Type::tf32: return 0x80000000u;
        case isa::Type::f16:
        case isa::Type::bf16: return 0x80008000u;
        case isa::Type::e2m3:
        case isa::Type::e3m2:
        case isa::Type::e2m1: return 0x20202020u;  // of six bits
        default: return 0x80808080u;
    }
}

/// The operands in the memory of one CTA of the pair.
struct CtaOperands {
    TensorMemory* memory = nullptr;
    std::uint32_t d = 0, a = 0, metadata = 0, scale_a = 0, scale_b = 0;  // columns
    Lines rows;                                                          // of a, if it is in shared memory
};

/// A product while it is carried out.
class Multiplier {
public:
    Multiplier(Execution const& execution, TensorProduct const& p, MatrixWork const& work)
        : execution_(execution), p_(p), i_(p.instruction), work_(work) {
        MatrixConfig const& config = execution.launch.matrix;
        floats_.a = m_.floats.a = i_.a;
        floats_.b = m_.floats.b = i_.b;
        floats_.is_packed = is_packed(i_.variation.kind);
        floats_.result_is_f16 = i_.result_is_f16;
        floats_.accumulator = i_.a == isa::Type::f16 || i_.a == isa::Type::bf16 ? config.f16
                              : i_.a == isa::Type::tf32                         ? config.tf32
                                                                                : config.f8;
        m_.functions = p.functions;
        m_.integers = {i_.a, i_.b, i_.saturates, false};
        m_.k = i_.shape.k;
        m_.is_sparse = i_.variation.is_sparse;
        m_.selector = 0;
        if (has_scales(i_.variation.kind)) {
            m_.scales = i_.variation.scales;
            floats_.scale_block = static_cast<int>(i_.shape.k / m_.scales);
            floats_.scales_are_e4m3 = i_.scales_are_e4m3;
        }
        m_.floats = floats_;
    }

    void find_operands(Cta& cta, CtaOperands& o) const {
        TensorOperands const operands(execution_, work_, cta);
        // The last lanes that are used; half of the layouts use only every second 16.
        std::uint32_t const lanes = tensor_memory::lanes - tensor_memory::cell_at(p_.d).lane;
        o.memory = &operands.columns("matrix D", p_.d, columns_of_d(i_), lanes, true);
        o.d = tensor_memory::cell_at(p_.d).column;
        if (p_.a_is_shared) {
            auto const chunk = [&](std::uint32_t line, std::uint32_t number, std::uint32_t* words) {
                operands.chunk("matrix A", p_.a_shared, i_.a_major, line, number, words);
            };
            o.rows = SharedLines(i_, false, chunk).read(i_.rows(), i_.words());
        } else {
            operands.columns("matrix A", p_.a, i_.words(), lanes);
            o.a = tensor_memory::cell_at(p_.a).column;
        }
        if (m_.is_sparse) {
            bool const is_wide = element_bits(i_.a) > 8;
            o.metadata = tensor_memory::cell_at(p_.metadata).column + i_.selector;
            operands.columns("the metadata of A", p_.metadata + i_.selector, is_wide ? 1 : 2, lanes);
        }
        if (m_.scales == 0) return;
        auto const columns = [&](std::uint32_t rows, std::uint32_t first) {
            return columns_of_scales(rows) + words_before(first + i_.variation.scales - 1, rows);
        };
        operands.columns("the scales of A", p_.scale_a, columns(i_.rows(), i_.scale_a), tensor_memory::lanes);
        operands.columns("the scales of B", p_.scale_b, columns(columns_of_d(i_), i_.scale_b),
                         tensor_memory::lanes);
        o.scale_a = tensor_memory::cell_at(p_.scale_a).column;
        o.scale_b = tensor_memory::cell_at(p_.scale_b).column;
    }

    /// Columns of b that one CTA has.
    void add_columns(Cta& cta, Lines& columns) const {
        TensorOperands const operands(execution_, work_, cta);
        std::uint32_t const words = m_.is_sparse ? 2 * i_.words() : i_.words();
        auto const chunk = [&](std::uint32_t line, std::uint32_t number, std::uint32_t* to) {
            operands.chunk("matrix B", p_.b, i_.b_major, line, number, to);
        };
        Lines more = SharedLines(i_, true, chunk).read(i_.columns_of_b(), words, p_.zeros.shift());
        std::uint32_t const signs = i_.negates_b ? sign_bits(i_, i_.b) : 0;
        for (Line& line : more) {
            if (p_.zeros.is_zero(static_cast<std::uint32_t>(columns.size()))) line = {};
            for (std::uint32_t w = 0; w < words; ++w) line[w] ^= signs;
            columns.push_back(line);
        }
    }

    void multiply(Segment const& s, CtaOperands const& o, Lines const& columns,
                  std::uint32_t const* disabled) const {
        RowsOfA rows = {};
        read_rows(s, o, rows);
        std::uint32_t metadata[32] = {};
        if (m_.is_sparse) read_metadata(s, o, metadata);
        for (std::uint32_t first = 0; first < s.columns; first += matrix::most_columns) {
            Block block;
            block.columns = static_cast<int>(std::min<std::uint32_t>(s.columns - first, matrix::most_columns));
            block.words = static_cast<int>(m_.is_sparse ? 2 * i_.words() : i_.words());
            for (std::uint32_t n = 0; n < static_cast<std::uint32_t>(block.columns); ++n) {
                Line const& column = columns[s.first_column + first + n];
                for (std::size_t w = 0; w < column.size(); w += 4) std::memcpy(&block.b_at(n, w), &column[w], 16);
                for (std::uint32_t r = 0; r < block_rows; ++r)
                    block.d_at(r, n) = p_.adds ? addend(o.memory->word(s.lane + r, o.d + first + n)) : 0;
            }
            if (m_.scales != 0) read_scales(s, o, first, block);
            multiply_block(rows, metadata, block);
            for (std::uint32_t n = 0; n < static_cast<std::uint32_t>(block.columns); ++n) {
                for (std::uint32_t r = 0; r < block_rows; ++r) {
                    std::uint32_t const lane = s.lane + r;
                    if ((disabled[lane / 32] >> (lane % 32) & 1) != 0) continue;
                    o.memory->word(lane, o.d + first + n) = block.d_at(r, n);
                }
            }
        }
    }

private:
    void read_rows(Segment const& s, CtaOperands const& o, RowsOfA& rows) const {
        std::uint32_t const signs = i_.negates_a ? sign_bits(i_, i_.a) : 0;
        for (std::uint32_t r = 0; r < block_rows; ++r) {
            // With .ashift a row is that of the next lane, and the last is its own.
            std::uint32_t const lane = std::min(s.lane + r + (p_.shifts_a ? 1 : 0), tensor_memory::lanes - 1);
            for (std::uint32_t w = 0; w < i_.words(); ++w)
                rows[w / 4][r / 8][Block::lane_of(r, w)] =
                    (p_.a_is_shared ? o.rows[s.row + r][w] : o.memory->word(lane, o.a + w)) ^ signs;
        }
    }

    /// As the lanes of a warp hold it for mma.sp: of four lanes, those that the reader asks.
    void read_metadata(Segment const& s, CtaOperands const& o, std::uint32_t* metadata) const {
        bool const is_wide = element_bits(i_.a) > 8;
        for (std::uint32_t r = 0; r < block_rows; ++r) {
            for (std::uint32_t half = 0; half < 2; ++half) {
                // Where a row has 32 bits, 16 of them stand in the lane, and 16 of the row eight lanes further.
                if (is_wide && r < 8) metadata[4 * r + half] = o.memory->word(s.lane + r + 8 * half, o.metadata);
                if (!is_wide)
                    metadata[4 * (r % 8) + r / 8 + 2 * half] = o.memory->word(s.lane + r, o.metadata + half);
            }
        }
    }

    void read_scales(Segment const& s, CtaOperands const& o, std::uint32_t first, Block& block) const {
        std::uint32_t const quarter = s.lane / tensor_memory::warp_lanes * tensor_memory::warp_lanes;
        auto const byte = [&](std::uint32_t column, std::uint32_t number, std::uint32_t at) {
            std::uint32_t const word = o.memory->word(quarter + number % 32, column + number / 32);
            return static_cast<std::uint8_t>(word >> (8 * (at % 4)));
        };
        for (std::uint32_t k = 0; k < m_.scales; ++k) {
            std::uint32_t const a = o.scale_a + words_before(i_.scale_a + k, i_.rows()),
                                b = o.scale_b + words_before(i_.scale_b + k, columns_of_d(i_));
            for (std::uint32_t r = 0; r < block_rows; ++r)
                block.a_scales[k][r] = byte(a, s.row + r, i_.scale_a + k);
            for (std::uint32_t n = 0; n < static_cast<std::uint32_t>(block.columns); ++n)
                block.b_scales[n][k] = byte(b, first + n, i_.scale_b + k);
        }
    }

    std::uint32_t addend(std::uint32_t word) const {
        std::uint32_t const bits = i_.result_is_f16 ? word & 0xffff : word;
        if (p_.scale_of_d == 0) return bits;
        float const value = std::bit_cast<float>(i_.result_is_f16 ? matrix::f32_of_f16(bits) : bits);
        if (std::isnan(value)) return bits;
        auto const scaled = std::bit_cast<std::uint32_t>(std::ldexp(value, -p_.scale_of_d));
        return i_.result_is_f16 ? matrix::f16_of_f32(scaled) : scaled;
    }

    void multiply_block(RowsOfA const& rows, std::uint32_t const* metadata, Block& block) const {
        if (m_.is_sparse) {
            SparseRows const sparse{metadata, [&](int, std::string const& what) {
                                        Fault fault = execution_.faults.fault_of(work_.culprit(), what);
                                        fault.kind = FaultKind::illegal_operand;
                                        throw fault;
                                    }};
            return multiply_sparse(sparse, m_, floats_, rows, block);
        }
        std::memcpy(block.a, rows, sizeof(block.a[0]) * static_cast<std::size_t>(block.words) / 4);
        if (isa::is_float(i_.a)) p_.functions->floats(floats_, block);
        else p_.functions->integers(m_.integers, block);
    }

    Execution const& execution_;
    TensorProduct const& p_;
    Instruction const& i_;
    MatrixWork const& work_;
    Multiplication m_;
    matrix::FloatProduct floats_;
};

}  // namespace

MatrixWork::Effort TensorMultiplication::effort() const {
    Instruction const& i = p_.instruction;
    std::uint64_t const dense = i.variation.is_sparse ? i.shape.k / 2 : i.shape.k;
    // M = 64 of one CTA uses half of the lanes, and takes as long as M = 128 would: SemiAnalysis measures half of the peak.
    std::uint64_t const rows = std::uint64_t{i.rows()} * (uses_half(i) ? 2 : 1);
    // A row of a, and what meets it of a column of b; a sparse one meets twice as much.
    std::uint64_t const row_bytes = i.words() * 4;
    std::uint64_t const of_a = p_.a_is_shared ? i.rows() * row_bytes : 0;
    std::uint64_t const of_b = i.columns_of_b() * row_bytes * (i.variation.is_sparse ? 2 : 1);
    return {i.a, is_packed(i.variation.kind), rows * i.shape.n * dense, of_a + of_b, of_a};
}

void TensorMultiplication::perform(Execution const& execution, Cluster& cluster) const {
    Multiplier const multiplier(execution, p_, *this);
    std::array<CtaOperands, 2> operands;
    Lines columns;
    for (std::uint32_t which = 0; which < cta_count(); ++which) {
        multiplier.find_operands(cta(cluster, which), operands[which]);
        multiplier.add_columns(cta(cluster, which), columns);
    }
    for (Segment const& s : segments_of(p_.instruction, tensor_memory::cell_at(p_.d).lane))
        multiplier.multiply(s, operands[s.cta], columns, &p_.disabled[4 * s.cta]);
    for (std::uint32_t which = 0; which < cta_count(); ++which) ++cta(cluster, which).changes;
}

}  // namespace warpsim::sim
