// Every thread adds one to a counter. ++*counter is a load, an addition and a store; between the load and the store of
// one thread others load the same old value.
extern "C" __global__ void count_unsynchronised(unsigned* counter) {
    *counter = *counter + 1;
}

extern "C" __global__ void count_atomic(unsigned* counter) {
    atomicAdd(counter, 1u);
}

// Each thread hands its number to its mirror image in the CTA. Without a barrier a warp reads what another warp has
// not written yet.
extern "C" __global__ void mirror_unsynchronised(unsigned* out) {
    __shared__ unsigned values[256];
    values[threadIdx.x] = threadIdx.x + 1;
    out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void mirror_barrier(unsigned* out) {
    __shared__ unsigned values[256];
    values[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}
