// Matrices that have two elements out of four, with the metadata that says which: PTX ISA, "Sparse matrix storage".
#pragma once

#include "tests/support/matrices.hpp"

#include <array>
#include <random>

namespace warpsim::test {

/// A sparse a: the elements that are there, row by row, and the columns in which they are.
struct SparseMatrix {
    Matrix packed;
    std::vector<std::vector<int>> columns;
    Registers metadata;
};

/// Chooses places in ascending order, two of four; or any two, which a matrix must not have.
inline SparseMatrix random_sparse(std::mt19937& random, int k, Type type, int selector, bool are_legal = true) {
    constexpr std::array<std::array<unsigned, 2>, 6> pairs{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
    SparseMatrix s{random_matrix(random, 16, k / 2, type), {}, Registers(1, std::vector<std::uint32_t>(32))};
    for (std::uint32_t& word : s.metadata[0])
        word = static_cast<std::uint32_t>(random());  // lanes that are not asked
    int const bits = bits_of(type);
    bool const is_tf32 = type == Type::tf32, is_nibble = bits == 4, is_wide = bits >= 16;
    int const chunk = is_tf32 ? 2 : is_nibble ? 8 : 4;
    for (int row = 0; row < 16; ++row) {
        s.columns.emplace_back();
        for (int c = 0; c < k / chunk; ++c) {
            auto pair = is_tf32 ? pairs[random() % 2 == 0 ? 0 : 5] : pairs[random() % 6];
            if (!are_legal) pair = {static_cast<unsigned>(random() % 4), static_cast<unsigned>(random() % 4)};
            for (unsigned const place : pair) {
                int const first = c * chunk;
                if (is_tf32) {
                    if (place % 2 == 0) s.columns.back().push_back(first + static_cast<int>(place) / 2);
                } else if (is_nibble) {
                    s.columns.back().push_back(first + 2 * static_cast<int>(place));
                    s.columns.back().push_back(first + 2 * static_cast<int>(place) + 1);
                } else {
                    s.columns.back().push_back(first + static_cast<int>(place));
                }
            }
            // Figures "Sparse MMA ... metadata layout": halves of the word are two rows, or words of lanes are.
            int lane = 0, bit = 0;
            if (is_wide) {
                int const lanes = k / chunk / 4;
                lane = 4 * (row % 8) + selector * lanes + c / 4;
                bit = 16 * (row / 8) + 4 * (c % 4);
            } else {
                int const lanes = k / chunk / 4;
                lane = 4 * (row % 8) + selector * lanes + row / 8 + 2 * (c / 8);
                bit = 4 * (c % 8);
            }
            std::uint32_t& word = s.metadata[0][static_cast<std::size_t>(lane)];
            word = (word & ~(15u << bit)) | (pair[0] | pair[1] << 2) << bit;
        }
    }
    return s;
}

/// Each element by the definition, from the elements of a that are there and those of b that they meet.
inline Matrix sparse_product(Form const& form, SparseMatrix const& a, Matrix const& b, Matrix const& c,
                             sim::MatrixConfig const& config = sim::load_config("h100").sm.matrix) {
    Matrix d(16, b.columns);
    for (int row = 0; row < 16; ++row) {
        Matrix one(1, a.packed.columns), of_b(a.packed.columns, b.columns), addend(1, b.columns);
        for (int j = 0; j < a.packed.columns; ++j) {
            one.at(0, j) = a.packed.at(row, j);
            for (int n = 0; n < b.columns; ++n)
                of_b.at(j, n) = b.at(a.columns[static_cast<std::size_t>(row)][static_cast<std::size_t>(j)], n);
        }
        for (int n = 0; n < b.columns; ++n) addend.at(0, n) = c.at(row, n);
        Matrix const got =
            product({1, a.packed.columns, form.text, form.d, form.a, form.b}, one, of_b, addend, config);
        for (int n = 0; n < b.columns; ++n) d.at(row, n) = got.at(0, n);
    }
    return d;
}

}  // namespace warpsim::test
