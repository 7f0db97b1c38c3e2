#include "runtime/cuda/memory/managed.hpp"

#include "runtime/cuda/driver_api/call.hpp"

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

WARPSIM_API CUresult cuMemPrefetchAsync_v2(std::uint64_t address, std::size_t bytes, MemoryPlace place,
                                           unsigned flags, void* stream) {
    Arguments const said(address, bytes, place, flags, stream);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        process.stream(stream);
        prefetch(process.memory, address, bytes, place);
    });
}
WARPSIM_PER_THREAD(cuMemPrefetchAsync_v2, cuMemPrefetchAsync_v2_ptsz)

WARPSIM_API CUresult cuMemAdvise_v2(std::uint64_t address, std::size_t bytes, int advice, MemoryPlace place) {
    Arguments const said(address, bytes, advice, place);
    return call([&](Process& process) { advise(process.memory, address, bytes, advice, place); });
}

WARPSIM_API CUresult cuMemPrefetchBatchAsync(std::uint64_t const* addresses, std::size_t const* bytes,
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
WARPSIM_PER_THREAD(cuMemPrefetchBatchAsync, cuMemPrefetchBatchAsync_ptsz)

WARPSIM_API CUresult cuMemDiscardBatchAsync(std::uint64_t const* addresses, std::size_t const* bytes,
                                            std::size_t count, unsigned long long flags, void* stream) {
    Arguments const said(addresses, bytes, count, flags, stream);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        process.stream(stream);
        discard(process.memory, {addresses, bytes, count});
    });
}
WARPSIM_PER_THREAD(cuMemDiscardBatchAsync, cuMemDiscardBatchAsync_ptsz)

WARPSIM_API CUresult cuMemDiscardAndPrefetchBatchAsync(std::uint64_t const* addresses, std::size_t const* bytes,
                                                       std::size_t count, MemoryPlace const* places,
                                                       std::size_t const* first_of, std::size_t place_count,
                                                       unsigned long long flags, void* stream) {
    Arguments const said(addresses, bytes, count, places, first_of, place_count, flags, stream);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        process.stream(stream);
        discard(process.memory, {addresses, bytes, count});
        prefetch(process.memory, {addresses, bytes, count}, {places, first_of, place_count});
    });
}
WARPSIM_PER_THREAD(cuMemDiscardAndPrefetchBatchAsync, cuMemDiscardAndPrefetchBatchAsync_ptsz)

WARPSIM_API CUresult cuMemRangeGetAttribute(void* out, std::size_t size, int attribute, std::uint64_t address,
                                            std::size_t bytes) {
    Arguments const said(out, size, attribute, address, bytes);
    return call(
        [&](Process& process) { managed_attribute(process.memory, out, size, attribute, address, bytes); });
}
WARPSIM_API CUresult cuMemRangeGetAttributes(void** out, std::size_t* sizes, int* attributes, std::size_t count,
                                             std::uint64_t address, std::size_t bytes) {
    Arguments const said(out, sizes, attributes, count, address, bytes);
    return call([&](Process& process) {
        if (out == nullptr || sizes == nullptr || attributes == nullptr || count == 0)
            throw Failure(Result::invalid_value);
        for (std::size_t i = 0; i < count; ++i)
            managed_attribute(process.memory, out[i], sizes[i], attributes[i], address, bytes);
    });
}

namespace {

/// A device, or the host for -1, as the first forms express it.
MemoryPlace place_of(CUdevice device) {
    constexpr int host = -1, on_device = 1, on_host = 2;
    return device == host ? MemoryPlace{on_host, 0} : MemoryPlace{on_device, device};
}

}  // namespace

WARPSIM_API CUresult cuMemPrefetchAsync(CUdeviceptr address, std::size_t bytes, CUdevice device, CUstream s) {
    Arguments const said(address, bytes, device, s);
    return in_stream(
        s, [&](Process& process, Stream&) { prefetch(process.memory, address, bytes, place_of(device)); });
}
WARPSIM_PER_THREAD(cuMemPrefetchAsync, cuMemPrefetchAsync_ptsz)
WARPSIM_API CUresult cuMemAdvise(CUdeviceptr address, std::size_t bytes, int advice, CUdevice device) {
    Arguments const said(address, bytes, advice, device);
    return in_context(
        [&](Process& process, Gpu&) { advise(process.memory, address, bytes, advice, place_of(device)); });
}
