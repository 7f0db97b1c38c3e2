// tcgen05.mma on memory of which parts are undefined: an element of D is undefined if D was and is added, or if anything of its
// row of a or its column of b is, their scales and the row's metadata included.
#include "sim/exec/tensor/tensor_lines.hpp"
#include "sim/exec/tensor/tensor_product.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace warpsim::sim {

namespace {

using tensor_memory::Instruction;
using tensor_memory::Segment;

bool has_any(Line const& line, std::uint32_t words) {
    return std::any_of(line.begin(), line.begin() + words, [](std::uint32_t bits) { return bits != 0; });
}

/// Follows one product in the memory of one of its CTAs.
class ProductShadow {
public:
    ProductShadow(TensorProduct const& p, Cta const& to, TensorShadow& shadow)
        : p_(p), i_(p.instruction), to_(to), shadow_(shadow) {}

    /// Columns of b that this CTA has.
    void add_columns(Cta const& cta) {
        std::uint32_t const words = i_.variation.is_sparse ? 2 * i_.words() : i_.words();
        auto const chunk = [&](std::uint32_t line, std::uint32_t number, std::uint32_t* bits) {
            shadow_.read_chunk(cta, tensor_memory::chunk_address(p_.b, i_.b_major, line, number), bits);
        };
        for (Line const& line : SharedLines(i_, true, chunk).read(i_.columns_of_b(), words, p_.zeros.shift())) {
            bool const is_zero = p_.zeros.is_zero(static_cast<std::uint32_t>(columns_.size()));
            columns_.push_back(!is_zero && has_any(line, words));
        }
    }

    void read_rows() {
        if (!p_.a_is_shared) return;
        auto const chunk = [&](std::uint32_t line, std::uint32_t number, std::uint32_t* bits) {
            shadow_.read_chunk(to_, tensor_memory::chunk_address(p_.a_shared, i_.a_major, line, number), bits);
        };
        for (Line const& line : SharedLines(i_, false, chunk).read(i_.rows(), i_.words()))
            rows_.push_back(has_any(line, i_.words()));
    }

    void sum(Segment const& s, std::uint32_t const* disabled) const {
        std::uint32_t const d = tensor_memory::cell_at(p_.d).column;
        std::uint32_t const bits_of_sum = i_.result_is_f16 ? 0xffff : UINT32_MAX;
        std::vector<bool> columns(s.columns);
        for (std::uint32_t n = 0; n < s.columns; ++n)
            columns[n] = columns_[s.first_column + n] ||
                         has_undefined_scale(s, p_.scale_b, i_.scale_b, n, columns_of_d(i_));
        for (std::uint32_t r = 0; r < tensor_memory::segment_lanes; ++r) {
            std::uint32_t const lane = s.lane + r;
            if ((disabled[lane / 32] >> (lane % 32) & 1) != 0) continue;
            bool const in_row = is_undefined_row(s, r);
            for (std::uint32_t n = 0; n < s.columns; ++n) {
                bool const in_d = p_.adds && (shadow_.read_cell(to_, lane, d + n) & bits_of_sum) != 0;
                bool const is_undefined = in_row || columns[n] || in_d;
                shadow_.write_cell(to_, lane, d + n, is_undefined ? bits_of_sum : 0);
            }
        }
    }

private:
    bool is_undefined_row(Segment const& s, std::uint32_t r) const {
        if (has_undefined_scale(s, p_.scale_a, i_.scale_a, s.row + r, i_.rows())) return true;
        if (i_.variation.is_sparse && has_undefined_metadata(s, r)) return true;
        if (p_.a_is_shared) return rows_[s.row + r];
        std::uint32_t const lane = std::min(s.lane + r + (p_.shifts_a ? 1 : 0), tensor_memory::lanes - 1);
        return any_cell(lane, tensor_memory::cell_at(p_.a).column, i_.words());
    }

    bool any_cell(std::uint32_t lane, std::uint32_t column, std::uint32_t count) const {
        for (std::uint32_t c = 0; c < count; ++c)
            if (shadow_.read_cell(to_, lane, column + c) != 0) return true;
        return false;
    }

    /// Of elements wider than a byte, the metadata of a row are halves of two words, eight lanes apart.
    bool has_undefined_metadata(Segment const& s, std::uint32_t r) const {
        std::uint32_t const column = tensor_memory::cell_at(p_.metadata).column + i_.selector;
        if (element_bits(i_.a) <= 8) return any_cell(s.lane + r, column, 2);
        return any_cell(s.lane + r % 8, column, 1) && any_cell(s.lane + r % 8 + 8, column, 1);
    }

    bool has_undefined_scale(Segment const& s, std::uint32_t address, std::uint32_t first, std::uint32_t number,
                             std::uint32_t rows) const {
        if (!has_scales(i_.variation.kind)) return false;
        std::uint32_t const quarter = s.lane / tensor_memory::warp_lanes * tensor_memory::warp_lanes;
        for (std::uint32_t k = first; k < first + i_.variation.scales; ++k) {
            std::uint32_t const column =
                tensor_memory::cell_at(address).column + words_before(k, rows) + number / 32;
            if ((shadow_.read_cell(to_, quarter + number % 32, column) >> (8 * (k % 4)) & 0xff) != 0) return true;
        }
        return false;
    }

    TensorProduct const& p_;
    Instruction const& i_;
    Cta const& to_;
    TensorShadow& shadow_;
    std::vector<bool> rows_, columns_;
};

}  // namespace

void TensorMultiplication::carry_over(Cluster const& cluster, Cta const& to, TensorShadow& shadow) const {
    ProductShadow product(p_, to, shadow);
    for (std::uint32_t which = 0; which < cta_count(); ++which) product.add_columns(cta(cluster, which));
    product.read_rows();
    for (Segment const& s : segments_of(p_.instruction, tensor_memory::cell_at(p_.d).lane))
        if (&cta(cluster, s.cta) == &to) product.sum(s, &p_.disabled[4 * s.cta]);
}

}  // namespace warpsim::sim
