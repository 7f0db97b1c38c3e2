// A sum in one launch: the block that finishes last, by a counter and fences, adds what all have written.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"

__device__ unsigned finished = 0;

__global__ void sum(float const* in, volatile float* partial, float* out, int n) {
    __shared__ float parts[128];
    bool is_last = false;  // of thread 0
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += in[i];
    parts[threadIdx.x] = own;
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s) parts[threadIdx.x] += parts[threadIdx.x + s];
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = parts[0];
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    if (!__syncthreads_or(is_last)) return;
    own = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) own += partial[i];
    parts[threadIdx.x] = own;
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s) parts[threadIdx.x] += parts[threadIdx.x + s];
    }
    if (threadIdx.x == 0) *out = parts[0];
}

int main() {
    int const n = 50000;
    float *in, *partial, *out;
    OK(cudaMallocManaged(&in, n * 4));
    OK(cudaMallocManaged(&partial, 300 * 4));
    OK(cudaMallocManaged(&out, 4));
    long long wanted = 0;
    for (int i = 0; i < n; ++i) wanted += i % 17, in[i] = static_cast<float>(i % 17);
    for (int const blocks : {1, 7, 150, 300}) {
        *out = -1;
        sum<<<blocks, 128>>>(in, partial, out, n);
        OK(cudaDeviceSynchronize());
        CHECK(*out == static_cast<float>(wanted));      // whole numbers: exact in any order
    }
    return result();
}
