// What threads have stored in shared memory goes out by a bulk copy, to which it must be made visible.
// check race
// finds asynchronous read after write
// launch block 64
// compile -arch=compute_90
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ alignas(16) unsigned tile[64];
    tile[threadIdx.x] = 3 * threadIdx.x;
#ifndef MISTAKE
    ptx::fence_proxy_async(ptx::space_shared);
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
