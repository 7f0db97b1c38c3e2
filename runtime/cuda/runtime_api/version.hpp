// Of which CUDA this runtime is, for sources that are compiled once for each. What differs stands in its folder.
#pragma once

#ifndef WARPSIM_CUDART
#error "this source is compiled once for all runtimes: CMakeLists.txt lists it as alike"
#elif WARPSIM_CUDART == 12
#include "runtime/cuda/runtime_api/cuda12/version.hpp"
#else
#include "runtime/cuda/runtime_api/cuda13/version.hpp"
#endif
