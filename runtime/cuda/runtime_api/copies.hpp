// Copies as the runtime interface describes them, and as work.
#pragma once

#include "runtime/cuda/runtime_api/types.hpp"
#include "runtime/cuda/streams/work.hpp"

namespace warpsim::cuda {

/// Throws Failure(invalid_value) for a description that does not say where both sides are.
CopyWork work_of_copy(Process& process, cudaMemcpy3DParms const& p);
cudaMemcpy3DParms description_of(CopyWork const& work);

}  // namespace warpsim::cuda
