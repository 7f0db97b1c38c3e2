// Which bytes of global memory belong to the box that a tensor copy names (PTX ISA, "Tensor Access Modes").
#pragma once

#include "sim/tensor/tensor_map.hpp"

#include <vector>

namespace warpsim::sim::tensor {

/// What an instruction asks for beside its map.
struct Request {
    Mode mode = Mode::tile;
    bool is_gather = false;  // tile::gather4 and tile::scatter4: coordinates are a column and four rows
    bool is_store = false;   // to global memory
    std::uint32_t rank = 1;
    std::array<std::int32_t, 5> at{};
    /// im2col: one for each spatial dimension, W first. The modes along W: wHalo, wOffset.
    std::array<std::uint32_t, 3> offsets{};
};

/// Bytes that follow one another in global memory and in the box.
struct Run {
    std::uint64_t address = 0;
    std::uint32_t offset = 0;  // in the box as it is in global memory, without padding
    std::uint32_t bytes = 0;

    bool operator==(Run const&) const = default;
};

/// The size of a box: its rows lie behind one another.
struct BoxSize {
    std::uint64_t rows = 0;
    std::uint32_t global_row = 0;  // bytes
    std::uint32_t shared_row = 0;

    std::uint64_t global_bytes() const { return rows * global_row; }
    std::uint64_t shared_bytes() const { return rows * shared_row; }
};

/// What is wrong with a request to a map that check() has passed; "" when nothing is.
std::string check(TensorMap const& map, Request const& request);
BoxSize size_of(TensorMap const& map, Request const& request);
/// The bytes of the box that are inside of the tensor, in the order of the box. The size has to be less than 4 GiB.
std::vector<Run> walk(TensorMap const& map, Request const& request);

}  // namespace warpsim::sim::tensor
