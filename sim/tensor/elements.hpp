// What a tensor copy makes of elements: the padding of narrow ones, the rounding of TF32, what fills a box outside of
// the tensor.
#pragma once

#include "sim/tensor/tensor_map.hpp"

namespace warpsim::sim::tensor {

/// Fills bytes of a box as it is in global memory with what elements outside of the tensor are.
void fill(TensorMap const& map, std::byte* box, std::size_t bytes);
/// A box as it is in global memory becomes what a load brings to shared memory, before any swizzle.
void expand(TensorMap const& map, std::byte const* global, std::size_t global_bytes, std::byte* shared);
/// The reverse, for stores.
void pack(TensorMap const& map, std::byte const* shared, std::size_t global_bytes, std::byte* global);

}  // namespace warpsim::sim::tensor
