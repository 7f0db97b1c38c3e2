// Tiles are fetched by a cuda::pipeline of two stages.
// check sync
// finds copy that nobody waits for
// launch block 32
// compile -arch=compute_80
#include <cuda/pipeline>

extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ unsigned stages[2][32];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    unsigned sum = 0;
    for (unsigned tile = 0; tile < 5; ++tile) {
        if (tile < 4) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stages[tile % 2][threadIdx.x], out + 1024 + 32 * tile + threadIdx.x,
                               cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        }
        if (tile == 0) continue;
#ifndef MISTAKE
        pipe.consumer_wait();
#endif
        sum += stages[(tile - 1) % 2][threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
