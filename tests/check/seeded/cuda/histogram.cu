// A histogram of a block in shared memory.
// check race
// finds write after read
// launch block 128
extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
#ifdef MISTAKE
    ++bins[threadIdx.x * 7 % 16];
#else
    atomicAdd(&bins[threadIdx.x * 7 % 16], 1u);
#endif
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}
