// Textures as the driver interface describes them.
#pragma once

#include "runtime/cuda/driver_api/types.hpp"
#include "runtime/cuda/textures/textures.hpp"

namespace warpsim::cuda::driver {

/// Flags of CUDA_TEXTURE_DESC and of texture references.
enum SamplingFlag : unsigned {
    read_as_integer = 1,
    normalized_coordinates = 2,
    srgb = 0x10,
    no_trilinear_optimization = 0x20,
    seamless_cubemap = 0x40,
};
/// Throws Failure(invalid_value) for other flags.
void set_flags(Sampling& sampling, unsigned flags);
unsigned flags_of(Sampling const& sampling);

}  // namespace warpsim::cuda::driver
