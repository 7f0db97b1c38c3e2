// Waiting for values in memory and writing them, as the driver interface describes it.
#pragma once

#include "runtime/cuda/driver_api/types.hpp"
#include "runtime/cuda/streams/work.hpp"

namespace warpsim::cuda::driver {

/// Throws Failure(invalid_value).
ValueWork operations(CUstreamBatchMemOpParams const* list, unsigned count, unsigned flags);
CUstreamBatchMemOpParams description_of(ValueOperation const& operation);

}  // namespace warpsim::cuda::driver
