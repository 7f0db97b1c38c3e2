#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/streams/allocation.hpp"

using namespace warpsim::cuda::driver;

#include "runtime/cuda/interface/pools.hpp"

WARPSIM_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr* out, std::size_t bytes, CUmemoryPool pool, CUstream s) {
    return in_stream(s, [&](Stream& stream) {
        if (out == nullptr || bytes == 0) throw Failure(Result::invalid_value);
        *out = number(allocate_in_order(bytes, stream, pool));
    });
}
WARPSIM_PER_THREAD(cuMemAllocFromPoolAsync, _ptsz)
