// A message between blocks through cuda::atomic_ref: a release and an acquire.
// check race
// finds read after write
// launch grid 2 block 32
#include <cuda/atomic>

#ifdef MISTAKE
constexpr auto order = cuda::memory_order_relaxed;
#else
constexpr auto order = cuda::memory_order_release;
#endif

extern "C" __global__ void k(unsigned* out, unsigned*) {
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> flag(out[64]);
    if (blockIdx.x == 0) {
        out[0] = 7;
        flag.store(1, order);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        out[1] = out[0];
    }
}
