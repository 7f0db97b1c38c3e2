// What the plan says about a tensor copy; its map and coordinates are known when it is issued.
#pragma once

#include "sim/exec/asynchronous.hpp"
#include "sim/tensor/box_walk.hpp"

#include <array>

namespace warpsim::sim {

struct TensorCopy {
    tensor::Request request;  // without coordinates and offsets
    AddressOperand map;
    std::array<Slot, 5> at{};
    std::uint32_t coordinates = 0;
    std::array<Slot, 3> offsets{};
    std::uint32_t offset_count = 0;
    bool only_prefetches = false;
    AtomicFunctions const* atomics = nullptr;  // of a reduction
    AtomicOperation operation = AtomicOperation::count;
};

/// How a reduction combines such elements; null where there is none.
Atomic reduction_of(TensorCopy const& copy, tensor::Element element);

}  // namespace warpsim::sim
