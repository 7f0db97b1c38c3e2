// The limits that a program may read and set, by the numbers that cudaLimit and CUlimit share.
#pragma once

#include "runtime/cuda/devices/gpu.hpp"

#include <cstdint>

namespace warpsim::cuda {

/// Both throw Failure(unsupported_limit) for a limit that this device does not have. Setting one waits for
/// the device's work, and throws Failure(invalid_value) for an illegal value or when it is too late to change
/// it.
std::uint64_t limit(Gpu const& gpu, int number);
void set_limit(Gpu& gpu, int number, std::uint64_t value);

}  // namespace warpsim::cuda
