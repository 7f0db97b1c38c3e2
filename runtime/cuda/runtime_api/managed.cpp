#include "runtime/cuda/memory/managed.hpp"

#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/newest_names.hpp"

using namespace warpsim::cuda;

WARPSIM_API cudaError_t cudaMemPrefetchAsync(std::uint64_t address, std::size_t bytes, MemoryPlace place,
                                             unsigned flags, void* stream) {
    Arguments const said(address, bytes, place, flags, stream);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        process.stream(stream);
        prefetch(process.memory, address, bytes, place);
    });
}
WARPSIM_PER_THREAD(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz)

WARPSIM_API cudaError_t cudaMemAdvise(std::uint64_t address, std::size_t bytes, int advice, MemoryPlace place) {
    Arguments const said(address, bytes, advice, place);
    return call([&](Process& process) { advise(process.memory, address, bytes, advice, place); });
}

WARPSIM_API cudaError_t cudaMemRangeGetAttribute(void* out, std::size_t size, int attribute, std::uint64_t address,
                                                 std::size_t bytes) {
    Arguments const said(out, size, attribute, address, bytes);
    return call(
        [&](Process& process) { managed_attribute(process.memory, out, size, attribute, address, bytes); });
}
WARPSIM_API cudaError_t cudaMemRangeGetAttributes(void** out, std::size_t* sizes, int* attributes,
                                                  std::size_t count, std::uint64_t address, std::size_t bytes) {
    Arguments const said(out, sizes, attributes, count, address, bytes);
    return call([&](Process& process) {
        if (out == nullptr || sizes == nullptr || attributes == nullptr || count == 0)
            throw Failure(Result::invalid_value);
        for (std::size_t i = 0; i < count; ++i)
            managed_attribute(process.memory, out[i], sizes[i], attributes[i], address, bytes);
    });
}
