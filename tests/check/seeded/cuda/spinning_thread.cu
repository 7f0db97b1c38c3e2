// Thread 0 spins until another block is ready, and the others of its block wait for it at a barrier.
// check race
// finds write after read
// launch grid 2 block 64
// compile -arch=compute_80
#include <cuda/atomic>
extern "C" __global__ void k(unsigned* out, unsigned*) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> flag(out[64]);
    if (blockIdx.x == 1) {
        out[threadIdx.x] = threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) flag.store(1, cuda::memory_order_release);
    } else {
        if (threadIdx.x == 0) {
            while (flag.load(cuda::memory_order_acquire) == 0) {}
        }
#ifndef MISTAKE
        __syncthreads();
#endif
        out[128 + threadIdx.x] = out[threadIdx.x];
    }
}
