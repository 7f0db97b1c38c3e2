// The block that is last adds up what all threads have stored: each has its own fences, only the first counts.
// check race
// finds read after write
// launch grid 3 block 64
__device__ unsigned count;

extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ bool is_last;
    out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last) {
#ifndef MISTAKE
        __threadfence();
#endif
        unsigned sum = 0;
        for (unsigned block = 0; block < gridDim.x; ++block) sum += out[block * 64 + threadIdx.x];
        out[1024 + threadIdx.x] = sum;
    }
}
