// Elements of arrays and textures as the driver interface describes them.
#pragma once

#include "runtime/cuda/textures/arrays.hpp"

namespace warpsim::cuda::driver {

/// Of CUarray_format and a number of channels. Throws Failure(not_supported) for compressed, planar and normalised
/// formats, Failure(invalid_value) for what is none.
ChannelFormat format_of(unsigned format, unsigned channels);
unsigned number_of(ChannelFormat const& format);

}  // namespace warpsim::cuda::driver
