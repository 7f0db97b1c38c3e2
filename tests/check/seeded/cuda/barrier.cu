// Two warps fill a buffer and two use it, by a cuda::barrier.
// check race
// finds write after read
// launch block 128
// compile -arch=compute_80
#include <cuda/barrier>
#include <cuda/std/utility>

extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ unsigned values[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    if (threadIdx.x == 0) init(&full, blockDim.x);
    __syncthreads();
    if (threadIdx.x < 64) values[threadIdx.x] = threadIdx.x;
    auto token = full.arrive();
#ifdef MISTAKE
    (void)token;
#else
    full.wait(cuda::std::move(token));
#endif
    if (threadIdx.x >= 64) out[threadIdx.x] = values[127 - threadIdx.x];
}
