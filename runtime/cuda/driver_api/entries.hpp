// The functions of libcuda.so.1 by name, version of CUDA and default stream.
#pragma once

#include <string_view>

namespace warpsim::cuda::driver {

/// The numbers of CUdriverProcAddressQueryResult.
enum class Found : int { yes = 0, no = 1, only_later = 2 };

/// The newest form of a function that a program written for a version knows; a form for per-thread default streams
/// only if requested. `*out` is null when there is none.
Found find_entry(std::string_view name, int version, bool per_thread, void** out);

}  // namespace warpsim::cuda::driver
