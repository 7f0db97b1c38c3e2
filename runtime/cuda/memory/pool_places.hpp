// Where the memory of a pool is, in the structures that both interfaces share.
#pragma once

#include "runtime/cuda/memory/pools.hpp"

#include <cstddef>

namespace warpsim::cuda {

struct MemoryLocation {
    int type;  // 1 device, 2 host
    int id;
};
struct PoolProperties {
    int allocation_type;  // 1: pinned
    int handle_types;
    MemoryLocation location;
    void* security;
    std::size_t most_bytes;
    unsigned short usage;
    unsigned char reserved[54];
};
static_assert(sizeof(PoolProperties) == 88);

struct PoolAccess {
    MemoryLocation location;
    int flags;
};
inline constexpr int pool_read_and_write = 3;

/// The location of a device's own memory. Throws Failure(invalid_device).
PoolPlace place_on_device(Memory const& memory, int device);
/// For pinned memory of a device or the host, or for managed memory; the host has one node. Throws
/// Failure(invalid_value), Failure(invalid_device).
PoolPlace place_of(Memory const& memory, MemoryLocation const* location, int allocation_type);
/// What place_of() makes such a place of.
MemoryLocation location_of(PoolPlace const& place);
/// Whether that location can access a pool's memory: every location can access host and managed memory.
bool is_reached(Memory const& memory, Pool const& pool, MemoryLocation const* from);
/// Throws Failure for access that differs from what exists: it can neither be granted nor revoked.
void check_access(Memory const& memory, Pool const& pool, PoolAccess const* list, std::size_t count);

}  // namespace warpsim::cuda
