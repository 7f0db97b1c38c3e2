// Tiles come by bulk copies into one buffer, which all threads must have read before it is filled again.
// check race
// finds asynchronous write after read
// launch block 64
// compile -arch=compute_90
#include <cuda/ptx>

#include <cstdint>
namespace ptx = cuda::ptx;

extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ alignas(16) unsigned tile[64];
    __shared__ std::uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    unsigned sum = 0;
    for (unsigned round = 0; round < 3; ++round) {
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, out + 1024 + 64 * round, sizeof tile, &full);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        }
        while (!ptx::mbarrier_try_wait_parity(&full, round % 2)) {}
#ifdef MISTAKE
        __syncthreads();
#endif
        sum += tile[63 - threadIdx.x];
#ifndef MISTAKE
        __syncthreads();
#endif
    }
    out[threadIdx.x] = sum;
}
