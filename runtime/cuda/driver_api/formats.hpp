// Elements of arrays and textures as the driver interface describes them.
#pragma once

#include "runtime/cuda/textures/arrays.hpp"

namespace warpsim::cuda::driver {

/// From a CUarray_format and a number of channels. Throws Failure(not_supported) for compressed and planar formats,
/// Failure(invalid_value) for unknown ones.
ChannelFormat format_of(unsigned format, unsigned channels);
unsigned number_of(ChannelFormat const& format);

}  // namespace warpsim::cuda::driver
