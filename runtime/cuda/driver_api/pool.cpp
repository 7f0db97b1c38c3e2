#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/memory/pool_places.hpp"
#include "runtime/cuda/streams/allocation.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

WARPSIM_API CUresult cuDeviceGetDefaultMemPool(void** out, int device) {
    Arguments const said(out, device);
    return call(
        [&](Process& process) { give(out, process.pools.default_of(place_on_device(process.memory, device))); });
}
WARPSIM_API CUresult cuDeviceGetMemPool(void** out, int device) {
    Arguments const said(out, device);
    return call(
        [&](Process& process) { give(out, process.pools.current_of(place_on_device(process.memory, device))); });
}
WARPSIM_API CUresult cuDeviceSetMemPool(int device, void* pool) {
    Arguments const said(device, pool);
    return call(
        [&](Process& process) { process.pools.set_current(place_on_device(process.memory, device), pool); });
}
WARPSIM_API CUresult cuMemGetDefaultMemPool(void** out, MemoryLocation* location, int type) {
    Arguments const said(out, location, type);
    return call(
        [&](Process& process) { give(out, process.pools.default_of(place_of(process.memory, location, type))); });
}
WARPSIM_API CUresult cuMemGetMemPool(void** out, MemoryLocation* location, int type) {
    Arguments const said(out, location, type);
    return call(
        [&](Process& process) { give(out, process.pools.current_of(place_of(process.memory, location, type))); });
}
WARPSIM_API CUresult cuMemSetMemPool(MemoryLocation* location, int type, void* pool) {
    Arguments const said(location, type, pool);
    return call(
        [&](Process& process) { process.pools.set_current(place_of(process.memory, location, type), pool); });
}
WARPSIM_API CUresult cuMemPoolCreate(void** out, PoolProperties const* p) {
    Arguments const said(out, p);
    return call([&](Process& process) {
        if (out == nullptr || p == nullptr) throw Failure(Result::invalid_value);
        if (p->handle_types != 0) throw Failure(Result::not_supported);
        *out = process.pools.create(place_of(process.memory, &p->location, p->allocation_type), p->most_bytes);
    });
}
WARPSIM_API CUresult cuMemPoolDestroy(void* pool) {
    Arguments const said(pool);
    return call([&](Process& process) { process.pools.destroy(pool); });
}
WARPSIM_API CUresult cuMemPoolTrimTo(void* pool, std::size_t bytes) {
    Arguments const said(pool, bytes);
    return call([&](Process& process) { process.pools.get(pool)->trim(bytes); });
}
WARPSIM_API CUresult cuMemPoolGetAttribute(void* pool, int attribute, void* value) {
    Arguments const said(pool, attribute, value);
    return call([&](Process& process) { process.pools.get(pool)->get(attribute, value); });
}
WARPSIM_API CUresult cuMemPoolSetAttribute(void* pool, int attribute, void* value) {
    Arguments const said(pool, attribute, value);
    return call([&](Process& process) { process.pools.get(pool)->set(attribute, value); });
}
/// Accepts only the access that exists already.
WARPSIM_API CUresult cuMemPoolSetAccess(void* pool, PoolAccess const* list, std::size_t count) {
    Arguments const said(pool, list, count);
    return call([&](Process& process) {
        auto const of = process.pools.get(pool);
        check_access(process.memory, *of, list, count);
    });
}
WARPSIM_API CUresult cuMemPoolGetAccess(int* out, void* pool, MemoryLocation* location) {
    Arguments const said(out, pool, location);
    return call([&](Process& process) {
        auto const of = process.pools.get(pool);
        give(out, is_reached(process.memory, *of, location) ? pool_read_and_write : 0);
    });
}

WARPSIM_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr* out, std::size_t bytes, CUmemoryPool pool, CUstream s) {
    Arguments const said(out, bytes, pool, s);
    return in_stream(s, [&](Process& process, Stream& stream) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = number(allocate_in_order(process, bytes, stream, pool));
    });
}
WARPSIM_PER_THREAD(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz)
