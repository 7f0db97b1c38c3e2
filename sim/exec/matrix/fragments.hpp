// The registers of a warp as blocks of a product, and back. What a register holds stands in sim/matrix/layout; here it is
// used: a register has eight rows of four words of a, or eight columns of four words of b.
#pragma once

#include "sim/exec/matrix/multiplication.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::sim {

class Fragments {
public:
    Fragments(isa::Bases bases, Multiplication const& m) : bases_(bases), m_(m) {}

    template <class T> T* column(isa::Slot slot) const { return isa::column<T>(bases_, slot); }
    std::uint32_t* words(std::vector<isa::Slot> const& list, std::size_t r) const {
        return column<std::uint32_t>(list[r]);
    }

    /// Words of a row of a, as the registers hold them: half of them if a is sparse.
    std::size_t words_of_a() const;
    void read_a(std::uint32_t (*words_of_rows)[matrix::block_rows], std::size_t row_tile) const;
    void read_b(matrix::Block& block) const;
    /// c, as numbers of the type of the sum.
    void read_addend(matrix::Block& block, std::size_t row_tile) const;
    void write(matrix::Block& block, std::size_t row_tile) const;

private:
    std::size_t halves() const { return m_.rows / 8; }
    void read_pairs(std::uint32_t (*columns)[matrix::block_rows], std::size_t first) const;

    isa::Bases bases_;
    Multiplication const& m_;
};

}  // namespace warpsim::sim
