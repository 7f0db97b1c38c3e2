// An illegal access is told at the next call, and stays until the device is reset.
#include "check.hpp"
__global__ void store(int* p) { p[threadIdx.x * 1000] = 1; }
__global__ void add(int* p) { atomicAdd(p, 1); }
int main() {
    int* p;
    OK(cudaMalloc(&p, 64));
    store<<<1, 32>>>(p);
    IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    IS(cudaGetLastError(), cudaErrorIllegalAddress);
    IS(cudaGetLastError(), cudaErrorIllegalAddress);
    void* q;
    IS(cudaMalloc(&q, 4), cudaErrorIllegalAddress);
    add<<<1, 1>>>(p);
    IS(cudaGetLastError(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    OK(cudaMalloc(&p, 64));
    OK(cudaMemset(p, 0, 64));
    add<<<1, 32>>>(p);
    int n = 0;
    OK(cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost));
    CHECK(n == 32);
    return result();
}
