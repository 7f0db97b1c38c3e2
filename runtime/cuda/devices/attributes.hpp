// What CUDA reports about a device, by the numbers of its attributes.
#pragma once

#include "sim/config/config.hpp"

namespace warpsim::cuda {

/// The largest number that cudaDeviceGetAttribute and cuDeviceGetAttribute know.
inline constexpr int last_attribute = 147;
/// The value of an attribute; 0 for one without a meaning here. `ordinal` distinguishes devices where a program
/// may compare them (PCI numbers).
int attribute(sim::Config const& config, int number, int ordinal);

/// "0000:01:00.0". Throws Failure(invalid_value) when there is no room for it.
void write_pci_bus_id(int device, char* out, int length);
/// The number of the device, which may not exist. Throws Failure(invalid_value) for malformed text.
int device_of_pci_bus_id(char const* id);

/// What atomic operations of a device on host memory support, by the numbers of CUatomicOperation and as bits of
/// CUatomicOperationCapability. Throws Failure(invalid_value) for null pointers, an empty list and unknown
/// numbers.
void list_atomic_capabilities(unsigned* out, int const* operations, unsigned count);

/// Attributes of two devices are numbered from 1 to this.
inline constexpr int last_peer_attribute = 5;

}  // namespace warpsim::cuda
