// tcgen05.alloc and its like, as planned.
#pragma once

#include "sim/exec/tensor/tensor_memory_access.hpp"

namespace warpsim::sim {

struct TensorAllocation {
    enum class Kind : std::uint8_t { allocate, free, relinquish };
    Kind kind = Kind::allocate;
    bool of_pair = false;
    AddressOperand to;  // of the address, in shared memory
    Slot address = 0;   // of what is freed
    Slot columns = 0;
};

/// How many columns the warp split is about to allocate; 0: it is about to do something else.
std::uint32_t wanted_tensor_columns(Warp const& warp, WarpSplit const& split);

}  // namespace warpsim::sim
