// Decoupled look-back: a block publishes its sum, and adds those of the blocks before it.
// check race
// finds read after write
// launch grid 6 block 32
__device__ unsigned sums[6], prefixes[6];
__device__ volatile unsigned states[6];  // 1: the sum is there; 2: the prefix is, too

extern "C" __global__ void k(unsigned* out, unsigned*) {
    if (threadIdx.x != 0) return;
    unsigned const b = blockIdx.x;
    sums[b] = b + 1;
    __threadfence();
    states[b] = 1;
    unsigned before = 0;
    for (unsigned look = b; look-- > 0;) {
        unsigned state;
        do state = states[look];
        while (state == 0);
        __threadfence();
        if (state == 2) {
            before += prefixes[look];
            break;
        }
        before += sums[look];
    }
    prefixes[b] = before + b + 1;
#ifndef MISTAKE
    __threadfence();
#endif
    states[b] = 2;
    out[b] = before;
}
