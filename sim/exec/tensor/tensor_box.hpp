// The box of a tensor copy that is in flight: what its map said when it was issued, and where its bytes are.
#pragma once

#include "sim/exec/lanes/atomics.hpp"
#include "sim/tensor/box_walk.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpsim::sim {

struct TensorBox {
    tensor::TensorMap map;
    std::uint64_t map_address = 0;   // where the program has it
    std::vector<tensor::Run> runs;   // those inside of the tensor
    std::uint32_t global_bytes = 0;  // without padding
    Atomic reduce = nullptr;         // null: a copy

    /// What a load brings: the bytes of shared memory before the swizzle.
    std::vector<std::byte> load(std::uint32_t shared_bytes) const;
    /// What a store brings: the bytes of the box without padding. `shared` is the CTA's memory.
    std::vector<std::byte> gather(std::byte const* shared, std::uint64_t at, std::uint32_t shared_bytes) const;
    /// The ends of both.
    void scatter(std::vector<std::byte> const& data, std::byte* shared, std::uint64_t at) const;
    void store(std::vector<std::byte> const& data) const;
};

}  // namespace warpsim::sim
