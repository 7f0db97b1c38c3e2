// The functions for memory pools that both interfaces spell alike but for the beginning of their names. Included
// once in each library, behind the definition of COMMON_FUNCTION(name), call() and give().
#include "runtime/cuda/graphs/calls.hpp"
#include "runtime/cuda/memory/pools.hpp"

using namespace warpsim::cuda;

namespace {

constexpr int pool_is_pinned = 1, pool_is_managed = 2;
constexpr int pool_read_and_write = 3;
enum PoolLocation : int {
    pool_nowhere = 0,
    pool_on_device = 1,
    pool_on_host = 2,
    pool_on_host_node = 3,
    pool_on_current_node = 4
};

struct PoolAccess {
    MemoryLocation location;
    int flags;
};

PoolPlace on_device(int device) { return {MemoryKind::device, Process::get().gpu(device).ordinal}; }

/// Of pinned memory, a device's or the host's, and of managed memory. The host has one node.
PoolPlace place_of(MemoryLocation const* location, int type) {
    if (location == nullptr || (type != pool_is_pinned && type != pool_is_managed))
        throw Failure(Result::invalid_value);
    bool const is_managed = type == pool_is_managed, is_device = location->type == pool_on_device;
    bool const is_host = location->type == pool_on_host || location->type == pool_on_current_node ||
                         (location->type == pool_on_host_node && location->id == 0);
    if (!is_device && !is_host && !(is_managed && location->type == pool_nowhere))
        throw Failure(Result::invalid_value);
    int const device = is_device ? Process::get().gpu(location->id).ordinal : 0;
    return {is_managed ? MemoryKind::managed : is_device ? MemoryKind::device : MemoryKind::host, device};
}

/// Whether what is there reaches a pool's memory: all reach the host's and managed memory.
bool is_reached(Pool const& pool, MemoryLocation const* from) {
    if (from == nullptr) throw Failure(Result::invalid_value);
    if (from->type != pool_on_device) {
        if (pool.place.kind == MemoryKind::device) throw Failure(Result::not_supported);
        return true;
    }
    int const device = Process::get().gpu(from->id).ordinal;
    return pool.place.kind != MemoryKind::device || pool.place.device == device;
}

}  // namespace

COMMON_FUNCTION(DeviceGetDefaultMemPool)(void** out, int device) {
    return call([&] { give(out, Process::get().pools.default_of(on_device(device))); });
}
COMMON_FUNCTION(DeviceGetMemPool)(void** out, int device) {
    return call([&] { give(out, Process::get().pools.current_of(on_device(device))); });
}
COMMON_FUNCTION(DeviceSetMemPool)(int device, void* pool) {
    return call([&] { Process::get().pools.set_current(on_device(device), pool); });
}
COMMON_FUNCTION(MemGetDefaultMemPool)(void** out, MemoryLocation* location, int type) {
    return call([&] { give(out, Process::get().pools.default_of(place_of(location, type))); });
}
COMMON_FUNCTION(MemGetMemPool)(void** out, MemoryLocation* location, int type) {
    return call([&] { give(out, Process::get().pools.current_of(place_of(location, type))); });
}
COMMON_FUNCTION(MemSetMemPool)(MemoryLocation* location, int type, void* pool) {
    return call([&] { Process::get().pools.set_current(place_of(location, type), pool); });
}
COMMON_FUNCTION(MemPoolCreate)(void** out, PoolProperties const* p) {
    return call([&] {
        if (out == nullptr || p == nullptr) throw Failure(Result::invalid_value);
        if (p->handle_types != 0) throw Failure(Result::not_supported);
        *out = Process::get().pools.create(place_of(&p->location, p->allocation_type), p->most_bytes);
    });
}
COMMON_FUNCTION(MemPoolDestroy)(void* pool) {
    return call([&] { Process::get().pools.destroy(pool); });
}
COMMON_FUNCTION(MemPoolTrimTo)(void* pool, std::size_t bytes) {
    return call([&] { Process::get().pools.get(pool)->trim(bytes); });
}
COMMON_FUNCTION(MemPoolGetAttribute)(void* pool, int attribute, void* value) {
    return call([&] { Process::get().pools.get(pool)->get(attribute, value); });
}
COMMON_FUNCTION(MemPoolSetAttribute)(void* pool, int attribute, void* value) {
    return call([&] { Process::get().pools.get(pool)->set(attribute, value); });
}
/// What reaches a pool's memory always does.
COMMON_FUNCTION(MemPoolSetAccess)(void* pool, PoolAccess const* list, std::size_t count) {
    return call([&] {
        auto const of = Process::get().pools.get(pool);
        if (list == nullptr && count != 0) throw Failure(Result::invalid_value);
        for (std::size_t i = 0; i < count; ++i) {
            bool const is_own = is_reached(*of, &list[i].location);
            if (is_own && list[i].flags != pool_read_and_write) throw Failure(Result::invalid_value);
            if (!is_own && list[i].flags != 0) throw Failure(Result::peer_access_unsupported);
        }
    });
}
COMMON_FUNCTION(MemPoolGetAccess)(int* out, void* pool, MemoryLocation* location) {
    return call([&] {
        auto const of = Process::get().pools.get(pool);
        give(out, is_reached(*of, location) ? pool_read_and_write : 0);
    });
}
