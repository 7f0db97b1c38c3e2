// 64 threads add up their numbers in two steps, and all of them store the sum. In the first step the first 16 threads
// work; the others have nothing to do there, and here they do not come by the barrier behind it.
extern "C" __global__ void sum_divergent(unsigned* out) {
    __shared__ unsigned values[64];
    unsigned const i = threadIdx.x;
    values[i] = i;
    __syncthreads();
    if (i < 16) {
        values[i] += values[i + 16] + values[i + 32] + values[i + 48];
        __syncthreads();
    }
    unsigned sum = 0;
    for (unsigned k = 0; k < 16; ++k) sum += values[k];
    out[i] = sum;
}

// All threads come by every barrier: only the work is in the branch.
extern "C" __global__ void sum_uniform(unsigned* out) {
    __shared__ unsigned values[64];
    unsigned const i = threadIdx.x;
    values[i] = i;
    __syncthreads();
    if (i < 16) values[i] += values[i + 16] + values[i + 32] + values[i + 48];
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 16; ++k) sum += values[k];
    out[i] = sum;
}
