// What only CUDA 13 has, or has in this form.
#include "runtime/cuda/devices/attributes.hpp"
#include "runtime/cuda/memory/managed.hpp"
#include "runtime/cuda/memory/pool_places.hpp"
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/streams/copy_batches.hpp"

using namespace warpsim::cuda;

/// The fifth parameter, the attributes themselves, is not needed.
WARPSIM_API cudaError_t cudaMemcpyBatchAsync(void* const* to, void const* const* from, std::size_t const* sizes,
                                             std::size_t count, void const*, std::size_t const* first_of,
                                             std::size_t attributes, void* stream) {
    Arguments const said(to, from, sizes, count, first_of, attributes, stream);
    return call([&](Process& process) {
        copy_many(process, {to, from, sizes, count, first_of, attributes}, stream, nullptr);
    });
}
WARPSIM_PER_THREAD(cudaMemcpyBatchAsync, cudaMemcpyBatchAsync_ptsz)
WARPSIM_API cudaError_t cudaMemcpy3DBatchAsync(std::size_t count, BoxCopy const* list, unsigned long long flags,
                                               void* stream) {
    Arguments const said(count, list, flags, stream);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        copy_many(process, list, count, stream, nullptr);
    });
}
WARPSIM_PER_THREAD(cudaMemcpy3DBatchAsync, cudaMemcpy3DBatchAsync_ptsz)

WARPSIM_API cudaError_t cudaMemPrefetchBatchAsync(std::uint64_t const* addresses, std::size_t const* bytes,
                                                  std::size_t count, MemoryPlace const* places,
                                                  std::size_t const* first_of, std::size_t place_count,
                                                  unsigned long long flags, void* stream) {
    Arguments const said(addresses, bytes, count, places, first_of, place_count, flags, stream);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        process.stream(stream);
        prefetch(process.memory, {addresses, bytes, count}, {places, first_of, place_count});
    });
}
WARPSIM_PER_THREAD(cudaMemPrefetchBatchAsync, cudaMemPrefetchBatchAsync_ptsz)
WARPSIM_API cudaError_t cudaMemDiscardBatchAsync(std::uint64_t const* addresses, std::size_t const* bytes,
                                                 std::size_t count, unsigned long long flags, void* stream) {
    Arguments const said(addresses, bytes, count, flags, stream);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        process.stream(stream);
        discard(process.memory, {addresses, bytes, count});
    });
}
WARPSIM_PER_THREAD(cudaMemDiscardBatchAsync, cudaMemDiscardBatchAsync_ptsz)
WARPSIM_API cudaError_t cudaMemDiscardAndPrefetchBatchAsync(std::uint64_t const* addresses,
                                                            std::size_t const* bytes, std::size_t count,
                                                            MemoryPlace const* places, std::size_t const* first_of,
                                                            std::size_t place_count, unsigned long long flags,
                                                            void* stream) {
    Arguments const said(addresses, bytes, count, places, first_of, place_count, flags, stream);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        process.stream(stream);
        discard(process.memory, {addresses, bytes, count});
        prefetch(process.memory, {addresses, bytes, count}, {places, first_of, place_count});
    });
}
WARPSIM_PER_THREAD(cudaMemDiscardAndPrefetchBatchAsync, cudaMemDiscardAndPrefetchBatchAsync_ptsz)

WARPSIM_API cudaError_t cudaMemGetDefaultMemPool(void** out, MemoryLocation* location, int type) {
    Arguments const said(out, location, type);
    return call(
        [&](Process& process) { give(out, process.pools.default_of(place_of(process.memory, location, type))); });
}
WARPSIM_API cudaError_t cudaMemGetMemPool(void** out, MemoryLocation* location, int type) {
    Arguments const said(out, location, type);
    return call(
        [&](Process& process) { give(out, process.pools.current_of(place_of(process.memory, location, type))); });
}
WARPSIM_API cudaError_t cudaMemSetMemPool(MemoryLocation* location, int type, void* pool) {
    Arguments const said(location, type, pool);
    return call(
        [&](Process& process) { process.pools.set_current(place_of(process.memory, location, type), pool); });
}

WARPSIM_API cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned* out, int const* operations, unsigned count,
                                                            int device) {
    Arguments const said(out, operations, count, device);
    return call([&](Process& process) {
        process.gpu(device);
        list_atomic_capabilities(out, operations, count);
    });
}
