// The sum of n integers: grid-stride loads, a tree in shared memory, one atomic per CTA. At most 1024 threads, a
// power of two.
extern "C" __global__ void reduce(int n, unsigned const* in, unsigned* sum) {
    __shared__ unsigned partial[1024];
    unsigned mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        mine += in[i];
    }
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(sum, partial[0]);
    }
}
