// What a program learns of a device at once.
#pragma once

#include "runtime/cuda/process/process.hpp"
#include "runtime/cuda/runtime_api/version.hpp"

#include <array>

namespace warpsim::cuda {

/// A cudaDeviceProp. Throws Failure(invalid_device).
std::array<char, device_properties_bytes> device_properties(Process& process, int device);

}  // namespace warpsim::cuda
