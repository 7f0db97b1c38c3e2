// The block that is last adds up what all have stored.
// check race
// finds read after write
// launch grid 8 block 64
__device__ unsigned count;

extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        out[1 + blockIdx.x] = blockIdx.x;
#ifndef MISTAKE
        __threadfence();
#endif
        is_last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last || threadIdx.x != 0) return;
    __threadfence();
    unsigned sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += out[1 + i];
    *out = sum;
}
