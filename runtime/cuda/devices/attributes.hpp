// What CUDA tells of a device, by the numbers of its attributes.
#pragma once

#include "sim/config/config.hpp"

namespace warpsim::cuda {

/// The largest number that cudaDeviceGetAttribute and cuDeviceGetAttribute know.
inline constexpr int last_attribute = 147;
/// The value of an attribute; 0 for one that means nothing here. `ordinal` tells devices apart where a program may
/// compare them (PCI numbers).
int attribute(sim::Config const& config, int number, int ordinal);

/// "0000:01:00.0". Throws Failure(invalid_value) where there is no room for it.
void write_pci_bus_id(int device, char* out, int length);
/// The number of the device, which may be none. Throws Failure(invalid_value) for what is no such text.
int device_of_pci_bus_id(char const* id);

/// What a device's atomic operations on memory of the host can be, by the numbers of CUatomicOperation and in the bits
/// of CUatomicOperationCapability. Throws Failure(invalid_value) for null pointers, no operations, and a number that is
/// none.
void list_atomic_capabilities(unsigned* out, int const* operations, unsigned count);

/// Attributes of two devices are numbered from 1 to this.
inline constexpr int last_peer_attribute = 5;

}  // namespace warpsim::cuda
