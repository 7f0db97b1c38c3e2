// Products whose a has two elements out of four: PTX ISA, "Sparse matrix storage", and the scales of blocks.
#include "sim/exec/matrix/matrix_products.hpp"
#include "sim/matrix/number.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace warpsim::sim {

using matrix::Block;
using matrix::block_rows;

namespace {

/// Which two of four neighbours each chunk of a row of a has. They are counted in units: of 16 bits, also for tf32, whose
/// numbers take two; else of 8 bits, so that numbers of 4 bits stay together by two. Four bits of a chunk are the places
/// of its units.
class Metadata {
public:
    Metadata(std::uint32_t const* words, Multiplication const& m, Block const& block)
        : words_(words),
          has_wide_units_(m.floats.a == isa::Type::f16 || m.floats.a == isa::Type::bf16 ||
                          m.floats.a == isa::Type::tf32),
          chunks_(static_cast<std::size_t>(block.words) / (has_wide_units_ ? 2 : 1)) {
        // Of four lanes, as many contribute as hold 64 bits for each chunk of 16 bits; the selector says which.
        if (has_wide_units_) first_lane_ = chunks_ == 4 ? m.selector : 2 * m.selector;
        else first_lane_ = chunks_ == 8 ? 2 * m.selector : 0;
    }

    bool has_wide_units() const { return has_wide_units_; }
    std::size_t chunks() const { return chunks_; }

    std::size_t lane_of(std::size_t row, std::size_t chunk) const {
        std::size_t const in_four = has_wide_units_ ? chunk / 4 : row / 8 + 2 * (chunk / 8);
        return 4 * (row % 8) + first_lane_ + in_four;
    }
    std::array<unsigned, 2> places(std::size_t row, std::size_t chunk) const {
        std::size_t const shift = has_wide_units_ ? 4 * (chunk % 4) + 16 * (row / 8) : 4 * (chunk % 8);
        unsigned const bits = words_[lane_of(row, chunk)] >> shift;
        return {bits & 3, bits >> 2 & 3};
    }

private:
    std::uint32_t const* words_;
    bool has_wide_units_;
    std::size_t chunks_;
    std::size_t first_lane_ = 0;
};

/// Units of rows of a, packed or with the absent ones, and of columns of b: the place of each.
template <unsigned bits> struct Units {
    static constexpr std::uint32_t mask = (1u << bits) - 1;
    static constexpr std::size_t in_word = 32 / bits;

    static std::uint32_t get(std::uint32_t word, std::size_t unit) {
        return word >> (bits * (unit % in_word)) & mask;
    }
    static void add(std::uint32_t& word, std::size_t unit, std::uint32_t value) {
        word |= value << (bits * (unit % in_word));
    }
};

/// A sparse tile, in one of two ways: with zeros for what is absent; or, where these would be noticed, row by row with the
/// elements of b that the row's meet.
template <unsigned bits> class SparseTile {
public:
    SparseTile(SparseRows const& rows, Multiplication const& m, Metadata const& metadata, RowsOfA const& packed)
        : rows_(rows), m_(m), metadata_(metadata), packed_(packed) {}

    /// False if two elements have one place: which is undefined, but then both meet the same element of b.
    bool expand(Block& block) const {
        bool is_sound = true;
        std::memset(block.a, 0, sizeof(block.a[0]) * static_cast<std::size_t>(block.words) / 4);
        for (std::size_t row = 0; row < block_rows; ++row) {
            for (std::size_t chunk = 0; chunk < metadata_.chunks(); ++chunk) {
                auto const [first, second] = metadata_.places(row, chunk);
                std::uint32_t const low = unit(row, 2 * chunk), high = unit(row, 2 * chunk + 1);
                check(row, chunk, first, second, (low | high) != 0);
                is_sound = is_sound && first != second;
                std::size_t const at = 4 * chunk;
                Units<bits>::add(block.a_at(row, (at + first) / in_word), at + first, low);
                Units<bits>::add(block.a_at(row, (at + second) / in_word), at + second, high);
            }
        }
        return is_sound;
    }

    void multiply_rows(matrix::FloatProduct floats, Block& block) const {
        floats.scale_block /= 2;
        for (std::size_t row = 0; row < block_rows; ++row) {
            Block one{};
            one.words = block.words / 2;
            one.columns = block.columns;
            for (std::size_t w = 0; w < static_cast<std::size_t>(one.words); ++w)
                one.a_at(0, w) = packed_word(row, w);
            for (std::size_t s = 0; s < m_.scales; ++s) one.a_scales[s][0] = block.a_scales[s][row];
            for (std::size_t n = 0; n < static_cast<std::size_t>(block.columns); ++n) {
                for (std::size_t chunk = 0; chunk < metadata_.chunks(); ++chunk) {
                    auto const places = metadata_.places(row, chunk);
                    for (std::size_t j = 0; j < 2; ++j) {
                        std::size_t const from = 4 * chunk + places[j], to = 2 * chunk + j;
                        Units<bits>::add(one.b_at(n, to / in_word), to,
                                         Units<bits>::get(block.b_at(n, from / in_word), from));
                    }
                }
                std::memcpy(one.b_scales[n], block.b_scales[n], sizeof one.b_scales[n]);
                one.d_at(0, n) = block.d_at(row, n);
            }
            if (isa::is_float(m_.floats.a)) m_.functions->floats(floats, one);
            else m_.functions->integers(m_.integers, one);
            for (std::size_t n = 0; n < static_cast<std::size_t>(block.columns); ++n)
                block.d_at(row, n) = one.d_at(0, n);
        }
    }

private:
    static constexpr std::size_t in_word = Units<bits>::in_word;

    std::uint32_t packed_word(std::size_t row, std::size_t word) const {
        return packed_[word / 4][row / 8][Block::lane_of(row, word)];
    }
    std::uint32_t unit(std::size_t row, std::size_t number) const {
        return Units<bits>::get(packed_word(row, number / in_word), number);
    }

    /// Elements of zero may have any place: so do rows beyond a matrix, whose metadata nobody wrote.
    void check(std::size_t row, std::size_t chunk, unsigned first, unsigned second, bool is_used) const {
        if (!is_used) return;
        bool const is_number = m_.floats.a != isa::Type::tf32 || (first % 2 == 0 && second == first + 1);
        if (is_number && (m_.is_ordered ? first < second : first != second)) [[likely]]
            return;
        char text[160];
        std::snprintf(
            text, sizeof text,
            "undefined value: the metadata of row %zu and columns %zu to %zu of a name the places %u and %u", row,
            chunk * columns_of_chunk(), (chunk + 1) * columns_of_chunk() - 1, first, second);
        rows_.tell(static_cast<int>(metadata_.lane_of(row, chunk)), text);
    }
    std::size_t columns_of_chunk() const { return m_.k / metadata_.chunks(); }

    SparseRows const& rows_;
    Multiplication const& m_;
    Metadata const& metadata_;
    RowsOfA const& packed_;
};

/// Whether b has infinities or NaNs, which a zero in place of an absent element would make NaNs of.
bool has_special(matrix::FloatProduct const& product, Block const& block) {
    matrix::ElementFormat const& f = matrix::element_format(product.b, product.is_packed);
    std::uint32_t const all = (1u << (f.exponent_bits + f.fraction_bits)) - 1;
    if (f.first_special > all) return false;
    for (std::size_t n = 0; n < static_cast<std::size_t>(block.columns); ++n) {
        for (std::size_t w = 0; w < static_cast<std::size_t>(block.words); ++w) {
            for (int bit = f.shift; bit < 32; bit += f.container_bits) {
                if ((block.b_at(n, w) >> bit & all) >= f.first_special) return true;
            }
        }
    }
    return false;
}

template <unsigned bits>
void multiply_sparse_tile(SparseTile<bits> const& tile, Multiplication const& m, matrix::FloatProduct floats,
                          Block& block) {
    bool const is_float = isa::is_float(m.floats.a);
    if (!tile.expand(block) || (is_float && has_special(floats, block))) return tile.multiply_rows(floats, block);
    floats.a_is_sparse = true;
    if (is_float) m.functions->floats(floats, block);
    else m.functions->integers(m.integers, block);
}

/// The scale_selectors of all lanes, which must be the same.
std::array<std::size_t, 2> scale_selectors(WarpInstruction const& i, Multiplication const& m,
                                           ScaleOperand const& scale, unsigned most_threads) {
    auto const* const bytes = isa::column<std::uint16_t>(i.warp.bases, scale.byte);
    auto const* const threads = isa::column<std::uint16_t>(i.warp.bases, scale.thread);
    for (int lane = 0; lane < 32; ++lane) {
        bool const is_legal = bytes[lane] + m.scales <= 4 && bytes[lane] % m.scales == 0 &&
                              threads[lane] < most_threads && bytes[lane] == bytes[0] &&
                              threads[lane] == threads[0];
        if (is_legal) continue;
        i.fault(lane, FaultKind::illegal_operand,
                "illegal operand: the scales are selected by byte " + std::to_string(bytes[lane]) +
                    " and thread " + std::to_string(threads[lane]) + "; legal are multiples of " +
                    std::to_string(m.scales) + " up to " + std::to_string(4 - m.scales) + ", and threads below " +
                    std::to_string(most_threads) + ", the same in all lanes");
    }
    return {bytes[0], threads[0]};
}

}  // namespace

void multiply_sparse(SparseRows const& rows, Multiplication const& m, matrix::FloatProduct const& floats,
                     RowsOfA const& packed, Block& block) {
    Metadata const metadata(rows.metadata, m, block);
    if (metadata.has_wide_units()) {
        multiply_sparse_tile(SparseTile<16>(rows, m, metadata, packed), m, floats, block);
    } else {
        multiply_sparse_tile(SparseTile<8>(rows, m, metadata, packed), m, floats, block);
    }
}

void multiply_sparse(WarpInstruction const& i, Multiplication const& m, matrix::FloatProduct const& floats,
                     RowsOfA const& packed, Block& block) {
    SparseRows const rows{isa::column<std::uint32_t>(i.warp.bases, m.metadata),
                          [&](int lane, std::string what) { note_undefined(i, lane, std::move(what)); }};
    multiply_sparse(rows, m, floats, packed, block);
}

/// Of each four lanes, a pair has the scales of two rows of a, eight apart; one lane has those of a column of b.
void read_scales(WarpInstruction const& i, Multiplication const& m, Block& block) {
    auto const [a_byte, a_pair] = scale_selectors(i, m, m.scale_a, 2);
    auto const [b_byte, b_thread] = scale_selectors(i, m, m.scale_b, 4);
    auto const* const a = isa::column<std::uint32_t>(i.warp.bases, m.scale_a.data);
    auto const* const b = isa::column<std::uint32_t>(i.warp.bases, m.scale_b.data);
    for (std::size_t s = 0; s < m.scales; ++s) {
        for (std::size_t row = 0; row < block_rows; ++row) {
            std::uint32_t const word = a[4 * (row % 8) + 2 * a_pair + row / 8];
            block.a_scales[s][row] = static_cast<std::uint8_t>(word >> (8 * (a_byte + s)));
        }
        for (std::size_t n = 0; n < 8; ++n)
            block.b_scales[n][s] = static_cast<std::uint8_t>(b[4 * n + b_thread] >> (8 * (b_byte + s)));
    }
}

}  // namespace warpsim::sim
