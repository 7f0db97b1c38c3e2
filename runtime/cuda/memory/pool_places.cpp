#include "runtime/cuda/memory/pool_places.hpp"

namespace warpsim::cuda {

namespace {

constexpr int pool_is_pinned = 1, pool_is_managed = 2;
enum PoolLocation : int {
    pool_nowhere = 0,
    pool_on_device = 1,
    pool_on_host = 2,
    pool_on_host_node = 3,
    pool_on_current_node = 4
};

}  // namespace

PoolPlace place_on_device(Memory const& memory, int device) {
    memory.check_device(device);
    return {MemoryKind::device, device};
}

PoolPlace place_of(Memory const& memory, MemoryLocation const* location, int type) {
    if (location == nullptr || (type != pool_is_pinned && type != pool_is_managed))
        throw Failure(Result::invalid_value);
    bool const is_managed = type == pool_is_managed, is_device = location->type == pool_on_device;
    bool const is_host = location->type == pool_on_host || location->type == pool_on_current_node ||
                         (location->type == pool_on_host_node && location->id == 0);
    if (!is_device && !is_host && !(is_managed && location->type == pool_nowhere))
        throw Failure(Result::invalid_value);
    if (is_device) memory.check_device(location->id);
    MemoryKind const kind = is_managed ? MemoryKind::managed : is_device ? MemoryKind::device : MemoryKind::host;
    return {kind, is_device ? location->id : 0};
}

MemoryLocation location_of(PoolPlace const& place) {
    if (place.kind == MemoryKind::host) return {pool_on_host, 0};
    return {pool_on_device, place.device};
}

bool is_reached(Memory const& memory, Pool const& pool, MemoryLocation const* from) {
    if (from == nullptr) throw Failure(Result::invalid_value);
    if (from->type != pool_on_device) {
        if (pool.place.kind == MemoryKind::device) throw Failure(Result::not_supported);
        return true;
    }
    memory.check_device(from->id);
    return pool.place.kind != MemoryKind::device || pool.place.device == from->id;
}

void check_access(Memory const& memory, Pool const& pool, PoolAccess const* list, std::size_t count) {
    if (list == nullptr && count != 0) throw Failure(Result::invalid_value);
    for (std::size_t i = 0; i < count; ++i) {
        bool const is_own = is_reached(memory, pool, &list[i].location);
        if (is_own && list[i].flags != pool_read_and_write) throw Failure(Result::invalid_value);
        if (!is_own && list[i].flags != 0) throw Failure(Result::peer_access_unsupported);
    }
}

}  // namespace warpsim::cuda
