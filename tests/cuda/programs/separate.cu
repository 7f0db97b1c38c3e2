// compile: -rdc=true
// sources: separate_part.cu
// Device code of two translation units, linked on the device.
#include "check.hpp"
extern __device__ int shared_counter;
__device__ int weigh(int x);
__global__ void count(int* out) {
    atomicAdd(&shared_counter, weigh(static_cast<int>(threadIdx.x)));
    __syncthreads();
    if (threadIdx.x == 0) *out = shared_counter;
}
int main() {
    int* out;
    OK(cudaMallocManaged(&out, 4));
    count<<<1, 10>>>(out);
    OK(cudaDeviceSynchronize());
    CHECK(*out == 1000 + 2 * 45);
    return result();
}
