// __syncthreads() in a branch that only some threads of a warp take.
// check sync
// finds divergent barrier
// launch block 64
extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = threadIdx.x;
#ifdef MISTAKE
    if (threadIdx.x < 48) {
        __syncthreads();
        out[threadIdx.x] = values[63 - threadIdx.x];
    }
#else
    __syncthreads();
    if (threadIdx.x < 48) out[threadIdx.x] = values[63 - threadIdx.x];
#endif
    atomicAdd(out + 128, values[threadIdx.x]);
}
