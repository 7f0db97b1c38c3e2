#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/streams/allocation.hpp"

#include "runtime/cuda/interface/pools.hpp"

WARPSIM_API cudaError_t cudaMallocFromPoolAsync(void** out, std::size_t bytes, cudaMemPool_t pool,
                                                cudaStream_t s) {
    return call([&] {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = allocate_in_order(bytes, *Process::get().stream(s), pool);
    });
}
WARPSIM_PER_THREAD(cudaMallocFromPoolAsync, _ptsz)
