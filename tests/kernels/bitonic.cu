// Bitonic sort, ascending. bitonic_shared does every step whose partners lie in one CTA's 2 * blockDim.x keys,
// bitonic_global one step of one stage over global memory. Key counts are powers of two.
__device__ void order(unsigned& a, unsigned& b, bool ascending) {
    if ((a > b) == ascending) {
        unsigned const swap = a;
        a = b;
        b = swap;
    }
}

__device__ void merge_shared(unsigned* keys, unsigned distance, bool ascending) {
    for (; distance > 0; distance /= 2) {
        __syncthreads();
        unsigned const low = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
        order(keys[low], keys[low + distance], ascending);
    }
    __syncthreads();
}

// first_size .. last_size: sizes of the bitonic sequences to merge, by doubling; a merge starts in shared memory at a
// distance of half the size, or half the CTA's keys when that is less.
extern "C" __global__ void bitonic_shared(unsigned* keys, unsigned first_size, unsigned last_size) {
    extern __shared__ unsigned shared_keys[];
    unsigned const base = blockIdx.x * 2 * blockDim.x;
    shared_keys[threadIdx.x] = keys[base + threadIdx.x];
    shared_keys[threadIdx.x + blockDim.x] = keys[base + threadIdx.x + blockDim.x];
    for (unsigned size = first_size; size <= last_size; size *= 2) {
        unsigned const distance = min(size / 2, blockDim.x);
        unsigned const low = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
        merge_shared(shared_keys, distance, ((base + low) & size) == 0);
    }
    keys[base + threadIdx.x] = shared_keys[threadIdx.x];
    keys[base + threadIdx.x + blockDim.x] = shared_keys[threadIdx.x + blockDim.x];
}

extern "C" __global__ void bitonic_global(unsigned* keys, unsigned size, unsigned distance) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned const low = 2 * i - (i & (distance - 1));
    order(keys[low], keys[low + distance], (low & size) == 0);
}
