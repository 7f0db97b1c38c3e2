// Where the elements of a matrix lie among the registers of a warp: PTX ISA, "Matrix Fragments for ...", as data.
//
// Every layout is linear in the bits of its indices: each bit of a lane's number and each bit of the number of an element
// in that lane adds so many rows and columns.
#pragma once

#include "frontend/isa/types.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim::matrix {

struct Cell {
    int row = 0, column = 0;
    bool operator==(Cell const&) const = default;
};

/// Where an element is: the register, and the lowest of its bits.
struct ElementPlace {
    int lane = 0, reg = 0, bit = 0;
    bool operator==(ElementPlace const&) const = default;
};

struct Layout {
    std::string name;  // "mma.m16n8k16.f16.a"
    int rows = 0, columns = 0;
    int element_bits = 32;
    int register_bits = 32;
    int elements = 0;  // of each lane; a power of two
    std::array<Cell, 5> lane_steps{};
    std::array<Cell, 8> element_steps{};
    /// Of layouts for a group of four warps: what each bit of the warp's number in the group adds. Of m8n8k4 of f16,
    /// whose warp has four matrices, two lane bits tell which one and add nothing.
    std::array<Cell, 2> warp_steps{};
    bool is_of_four_warps = false;

    Cell cell(int lane, int element, int warp = 0) const;
    /// The first lane and element there, with the warp in `warp`.
    ElementPlace place(Cell wanted, int& warp) const;
    int element_at(int reg, int bit) const { return reg * (register_bits / element_bits) + bit / element_bits; }
};

/// All that are known, in the order of the manual: wmma, mma, ldmatrix and stmatrix, movmatrix, wgmma. What wmma's are is
/// ours to choose: they are those of the mma instructions that compute it.
std::vector<Layout> const& layouts();
Layout const& layout_named(std::string_view name);

/// A line for each row with the lane and element of each column, as the manual's figures have it.
std::string print(Layout const& layout);

}  // namespace warpsim::sim::matrix
