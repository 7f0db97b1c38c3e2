// Elements of arrays and textures as the runtime interface describes them.
#pragma once

#include "runtime/cuda/runtime_api/types.hpp"
#include "runtime/cuda/textures/arrays.hpp"

namespace warpsim::cuda {

/// Throws Failure(not_supported) for planar and compressed formats. What makes no sense becomes an invalid format.
ChannelFormat format_of(cudaChannelFormatDesc const& description);
cudaChannelFormatDesc description_of(ChannelFormat const& format);

}  // namespace warpsim::cuda
