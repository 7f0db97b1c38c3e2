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

/// The place of a device's own memory. Throws Failure(invalid_device).
PoolPlace place_on_device(Memory const& memory, int device);
/// Of pinned memory, a device's or the host's, or of managed memory; the host has one node. Throws
/// Failure(invalid_value), Failure(invalid_device).
PoolPlace place_of(Memory const& memory, MemoryLocation const* location, int allocation_type);
/// Whether what is there reaches a pool's memory: all reach the host's and managed memory.
bool is_reached(Memory const& memory, Pool const& pool, MemoryLocation const* from);
/// Throws a Failure for access that a pool's memory does not have: what reaches it always does.
void check_access(Memory const& memory, Pool const& pool, PoolAccess const* list, std::size_t count);

}  // namespace warpsim::cuda
