// Counts of the 256 byte values: atomics in shared memory first, then one global atomic per bin and CTA.
extern "C" __global__ void histogram(int n, unsigned char const* in, unsigned* bins) {
    __shared__ unsigned local[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        local[bin] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[in[i]], 1u);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        if (local[bin] != 0) {
            atomicAdd(&bins[bin], local[bin]);
        }
    }
}
