// The registers of a warp as blocks of a product, and back. What a register holds stands in sim/matrix/layout; here it is
// used: a block has the registers of mma.
#pragma once

#include "sim/exec/matrix/multiplication.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::sim {

/// Rows of a, as a block has them.
using RowsOfA = decltype(matrix::Block::a);

class Fragments {
public:
    Fragments(isa::Bases bases, Multiplication const& m) : bases_(bases), m_(m) {}

    template <class T> T* column(isa::Slot slot) const { return isa::column<T>(bases_, slot); }
    std::uint32_t* words(std::vector<isa::Slot> const& list, std::size_t r) const {
        return column<std::uint32_t>(list[r]);
    }

    /// As the registers hold a: half of its elements if it is sparse.
    void read_a(RowsOfA& rows, std::size_t row_tile) const;
    void read_b(matrix::Block& block) const;
    /// c, as numbers of the type of the sum.
    void read_addend(matrix::Block& block, std::size_t row_tile) const;
    void write(matrix::Block const& block, std::size_t row_tile) const;

private:
    std::size_t halves() const { return m_.rows / 8; }
    void load(std::uint32_t* to, std::vector<isa::Slot> const& list, std::size_t first, std::size_t count) const {
        m_.functions->load_registers(to, bases_, &list[first], count);
    }

    isa::Bases bases_;
    Multiplication const& m_;
};

}  // namespace warpsim::sim
