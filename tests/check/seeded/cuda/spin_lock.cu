// A spin lock by compare-and-swap, with a fence on both sides.
// check race
// finds read after write
// launch grid 4 block 32
__device__ int locked;

extern "C" __global__ void k(unsigned* out, unsigned*) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&locked, 0, 1) != 0) {}
    __threadfence();
    ++*out;
#ifndef MISTAKE
    __threadfence();
#endif
    atomicExch(&locked, 0);
}
