// What CUDA tells of a device, by the numbers of its attributes.
#pragma once

#include "sim/config/config.hpp"

namespace warpsim::cuda {

/// The largest number that cudaDeviceGetAttribute and cuDeviceGetAttribute know.
inline constexpr int last_attribute = 147;
/// The value of an attribute; 0 for one that means nothing here. `ordinal` tells devices apart where a program may
/// compare them (PCI numbers).
int attribute(sim::Config const& config, int number, int ordinal);

}  // namespace warpsim::cuda
