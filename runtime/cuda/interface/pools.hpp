// The functions for memory pools that both interfaces spell alike but for the beginning of their names. Included once in
// each library, behind the definition of COMMON_FUNCTION(name), call() and give().
#include "runtime/cuda/graph_calls.hpp"
#include "runtime/cuda/pools.hpp"

using namespace warpsim::cuda;

namespace {

constexpr int pool_is_pinned = 1, pool_on_device = 1;
constexpr int pool_read_and_write = 3;

struct PoolAccess {
    MemoryLocation location;
    int flags;
};

/// The device of a location. Pools of the host are not simulated.
int device_of(MemoryLocation const* location) {
    if (location == nullptr) throw Failure(Result::invalid_value);
    if (location->type != pool_on_device) throw Failure(Result::not_supported);
    return Process::get().gpu(location->id).ordinal;
}

int device_of(MemoryLocation const* location, int type) {
    if (type != pool_is_pinned) throw Failure(Result::not_supported);
    return device_of(location);
}

}  // namespace

COMMON_FUNCTION(DeviceGetDefaultMemPool)(void** out, int device) {
    return call([&] { give(out, Process::get().pools.default_of(Process::get().gpu(device).ordinal)); });
}
COMMON_FUNCTION(DeviceGetMemPool)(void** out, int device) {
    return call([&] { give(out, Process::get().pools.current_of(Process::get().gpu(device).ordinal)); });
}
COMMON_FUNCTION(DeviceSetMemPool)(int device, void* pool) {
    return call([&] { Process::get().pools.set_current(Process::get().gpu(device).ordinal, pool); });
}
COMMON_FUNCTION(MemGetDefaultMemPool)(void** out, MemoryLocation* location, int type) {
    return call([&] { give(out, Process::get().pools.default_of(device_of(location, type))); });
}
COMMON_FUNCTION(MemGetMemPool)(void** out, MemoryLocation* location, int type) {
    return call([&] { give(out, Process::get().pools.current_of(device_of(location, type))); });
}
COMMON_FUNCTION(MemSetMemPool)(MemoryLocation* location, int type, void* pool) {
    return call([&] { Process::get().pools.set_current(device_of(location, type), pool); });
}
COMMON_FUNCTION(MemPoolCreate)(void** out, PoolProperties const* p) {
    return call([&] {
        if (out == nullptr || p == nullptr || p->allocation_type != pool_is_pinned) throw Failure(Result::invalid_value);
        if (p->handle_types != 0) throw Failure(Result::not_supported);
        *out = Process::get().pools.create(device_of(&p->location), p->most_bytes);
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
/// A pool's memory is its own device's, which cannot be taken from it.
COMMON_FUNCTION(MemPoolSetAccess)(void* pool, PoolAccess const* list, std::size_t count) {
    return call([&] {
        auto const of = Process::get().pools.get(pool);
        if (list == nullptr && count != 0) throw Failure(Result::invalid_value);
        for (std::size_t i = 0; i < count; ++i) {
            bool const is_own = device_of(&list[i].location) == of->device;
            if (is_own && list[i].flags != pool_read_and_write) throw Failure(Result::invalid_value);
            if (!is_own && list[i].flags != 0) throw Failure(Result::peer_access_unsupported);
        }
    });
}
COMMON_FUNCTION(MemPoolGetAccess)(int* out, void* pool, MemoryLocation* location) {
    return call([&] {
        auto const of = Process::get().pools.get(pool);
        give(out, device_of(location) == of->device ? pool_read_and_write : 0);
    });
}
