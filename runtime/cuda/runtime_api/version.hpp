// Of which CUDA this runtime is: what stands here is compiled once for each, and what differs stands in its folder.
#pragma once

#if WARPSIM_CUDART == 12
#include "runtime/cuda/runtime_api/cuda12/version.hpp"
#else
#include "runtime/cuda/runtime_api/cuda13/version.hpp"
#endif
