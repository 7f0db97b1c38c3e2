// Copies as the driver interface describes them, and as work.
#pragma once

#include "runtime/cuda/driver_api/types.hpp"
#include "runtime/cuda/streams/work.hpp"

namespace warpsim::cuda::driver {

/// Throws Failure(invalid_value) for a description that does not say where both sides are.
CopyWork work_of_copy(Process& process, CUDA_MEMCPY2D const& c);
CopyWork work_of_copy(Process& process, CUDA_MEMCPY3D const& c);
CUDA_MEMCPY3D description_of(CopyWork const& work);

}  // namespace warpsim::cuda::driver
