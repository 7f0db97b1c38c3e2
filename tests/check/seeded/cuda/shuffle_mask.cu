// Half of a warp sums by shuffles, and asks the lanes that are not there.
// check sync
// finds undefined value
// launch block 32
extern "C" __global__ void k(unsigned* out, unsigned*) {
    if (threadIdx.x >= 16) return;
    unsigned sum = threadIdx.x;
#ifdef MISTAKE
    for (int step = 16; step != 0; step /= 2) sum += __shfl_xor_sync(0xffff, sum, step);
#else
    for (int step = 8; step != 0; step /= 2) sum += __shfl_xor_sync(0xffff, sum, step);
#endif
    out[threadIdx.x] = sum;
}
