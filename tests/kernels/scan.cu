// Inclusive sum over each CTA's elements: shuffles inside a warp, then the warps' totals. At most 1024 threads, a
// multiple of 32.
__device__ int scan_warp(int value) {
    int const lane = threadIdx.x % 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        int const other = __shfl_up_sync(0xffffffffu, value, distance);
        if (lane >= distance) {
            value += other;
        }
    }
    return value;
}

extern "C" __global__ void scan(int const* in, int* out) {
    __shared__ int totals[32];
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    int const warp = threadIdx.x / 32;
    int const lane = threadIdx.x % 32;
    int value = scan_warp(in[i]);
    if (lane == 31) {
        totals[warp] = value;
    }
    __syncthreads();
    if (warp == 0) {
        int const total = lane < blockDim.x / 32 ? totals[lane] : 0;
        totals[lane] = scan_warp(total);
    }
    __syncthreads();
    if (warp > 0) {
        value += totals[warp - 1];
    }
    out[i] = value;
}
