// error: kernel work(int*) was not launched: a block of 2048 threads, at most 1024 (cudaErrorInvalidConfiguration, which the program did not look at)
// Rejected launches are told when the program ends, except those that it looked at.
#include "check.hpp"

__global__ void work(int* out) { out[threadIdx.x] = 1; }
__global__ void looked_at(int* out) { out[threadIdx.x] = 2; }

int main() {
    int* out = nullptr;
    OK(cudaMalloc(&out, 4096));
    looked_at<<<1, 4096>>>(out);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    for (int i = 0; i < 3; ++i) work<<<1, 2048>>>(out);
    OK(cudaDeviceSynchronize());
    OK(cudaFree(out));
    return result();
}
