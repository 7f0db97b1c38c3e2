#include "runtime/cuda/memory/pool_places.hpp"
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/streams/allocation.hpp"

using namespace warpsim::cuda;

WARPSIM_API cudaError_t cudaDeviceGetDefaultMemPool(void** out, int device) {
    Arguments const said(out, device);
    return call(
        [&](Process& process) { give(out, process.pools.default_of(place_on_device(process.memory, device))); });
}
WARPSIM_API cudaError_t cudaDeviceGetMemPool(void** out, int device) {
    Arguments const said(out, device);
    return call(
        [&](Process& process) { give(out, process.pools.current_of(place_on_device(process.memory, device))); });
}
WARPSIM_API cudaError_t cudaDeviceSetMemPool(int device, void* pool) {
    Arguments const said(device, pool);
    return call(
        [&](Process& process) { process.pools.set_current(place_on_device(process.memory, device), pool); });
}
WARPSIM_API cudaError_t cudaMemPoolCreate(void** out, PoolProperties const* p) {
    Arguments const said(out, p);
    return call([&](Process& process) {
        if (out == nullptr || p == nullptr) throw Failure(Result::invalid_value);
        if (p->handle_types != 0) throw Failure(Result::not_supported);
        *out = process.pools.create(place_of(process.memory, &p->location, p->allocation_type), p->most_bytes);
    });
}
WARPSIM_API cudaError_t cudaMemPoolDestroy(void* pool) {
    Arguments const said(pool);
    return call([&](Process& process) { process.pools.destroy(pool); });
}
WARPSIM_API cudaError_t cudaMemPoolTrimTo(void* pool, std::size_t bytes) {
    Arguments const said(pool, bytes);
    return call([&](Process& process) { process.pools.get(pool)->trim(bytes); });
}
WARPSIM_API cudaError_t cudaMemPoolGetAttribute(void* pool, int attribute, void* value) {
    Arguments const said(pool, attribute, value);
    return call([&](Process& process) { process.pools.get(pool)->get(attribute, value); });
}
WARPSIM_API cudaError_t cudaMemPoolSetAttribute(void* pool, int attribute, void* value) {
    Arguments const said(pool, attribute, value);
    return call([&](Process& process) { process.pools.get(pool)->set(attribute, value); });
}
/// Accepts only the access that exists already.
WARPSIM_API cudaError_t cudaMemPoolSetAccess(void* pool, PoolAccess const* list, std::size_t count) {
    Arguments const said(pool, list, count);
    return call([&](Process& process) {
        auto const of = process.pools.get(pool);
        check_access(process.memory, *of, list, count);
    });
}
WARPSIM_API cudaError_t cudaMemPoolGetAccess(int* out, void* pool, MemoryLocation* location) {
    Arguments const said(out, pool, location);
    return call([&](Process& process) {
        auto const of = process.pools.get(pool);
        give(out, is_reached(process.memory, *of, location) ? pool_read_and_write : 0);
    });
}

WARPSIM_API cudaError_t cudaMallocFromPoolAsync(void** out, std::size_t bytes, cudaMemPool_t pool,
                                                cudaStream_t s) {
    Arguments const said(out, bytes, pool, s);
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = allocate_in_order(process, bytes, *process.stream(s), pool);
    });
}
WARPSIM_PER_THREAD(cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz)
