// A counter of all blocks through cuda::atomic_ref, whose scope must be the device.
// check race
// finds atomic after atomic
// launch grid 4 block 64
#include <cuda/atomic>

#ifdef MISTAKE
constexpr auto scope = cuda::thread_scope_block;
#else
constexpr auto scope = cuda::thread_scope_device;
#endif

extern "C" __global__ void k(unsigned* out, unsigned*) {
    cuda::atomic_ref<unsigned, scope> counter(*out);
    counter.fetch_add(1, cuda::memory_order_relaxed);
}
