// Inclusive sums of each CTA's numbers, one a thread.
extern "C" __global__ void block_scan(int const* in, int* out) {
    __shared__ int sums[256];
    int const own = threadIdx.x, i = blockIdx.x * 256 + own;
    sums[own] = in[i];
    for (int distance = 1; distance < 256; distance *= 2) {
        __syncthreads();
        int const before = own >= distance ? sums[own - distance] : 0;
        __syncthreads();
        sums[own] += before;
    }
    out[i] = sums[own];
}
