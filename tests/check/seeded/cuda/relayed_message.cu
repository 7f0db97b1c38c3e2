// A message to another block that a second thread passes on: it must release it to the whole device.
// check race
// finds read after write
// launch grid 2 block 64
// compile -arch=compute_80
#include <cuda/atomic>

#ifdef MISTAKE
constexpr auto scope = cuda::thread_scope_block;
#else
constexpr auto scope = cuda::thread_scope_device;
#endif

extern "C" __global__ void k(unsigned* out, unsigned*) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> written(out[64]);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[0] = 7;
        written.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 0 && threadIdx.x == 32) {
        while (written.load(cuda::memory_order_acquire) == 0) {}
        cuda::atomic_ref<unsigned, scope>(out[96]).store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (cuda::atomic_ref<unsigned, cuda::thread_scope_device>(out[96]).load(cuda::memory_order_acquire) == 0) {}
        out[1] = out[0];
    }
}
