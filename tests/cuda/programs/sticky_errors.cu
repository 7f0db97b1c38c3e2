// How kernels fail and how programs are told: the number at the next call, at every call after it, until a reset.
#include "check.hpp"
#include <cassert>

__global__ void wild(int* p) { p[1 << 20] = 1; }
__global__ void odd(char* p) { *reinterpret_cast<int*>(p + 1) = 1; }
__global__ void claim(int v) { assert(v == 0); }
__global__ void stop() { asm volatile("trap;"); }
__global__ void __launch_bounds__(64) few(int* p) { p[threadIdx.x] = 1; }
__global__ void fine(int* p) { *p = 7; }

// What every call says once the device has failed.
void check_failed(cudaError_t wanted) {
    IS(cudaDeviceSynchronize(), wanted);
    void* q = nullptr;
    IS(cudaMalloc(&q, 16), wanted);
    char c = 0;
    IS(cudaMemcpy(q, &c, 1, cudaMemcpyDefault), wanted);
    cudaStream_t s = nullptr;
    IS(cudaStreamSynchronize(s), wanted);
    IS(cudaGetLastError(), wanted);
    IS(cudaPeekAtLastError(), wanted);
}

int* fresh() {
    int* p = nullptr;
    OK(cudaDeviceReset());
    OK(cudaMalloc(&p, 256));
    fine<<<1, 1>>>(p);
    int v = 0;
    OK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    CHECK(v == 7);
    return p;
}

int main() {
    int* p = fresh();
    wild<<<1, 1>>>(p);
    check_failed(cudaErrorIllegalAddress);
    p = fresh();
    odd<<<1, 1>>>(reinterpret_cast<char*>(p));
    check_failed(cudaErrorMisalignedAddress);
    fresh();
    claim<<<1, 1>>>(1);
    check_failed(cudaErrorAssert);
    p = fresh();
    stop<<<1, 1>>>();
    check_failed(cudaErrorLaunchFailure);
    p = fresh();
    // A launch that cannot be is told once, and nothing else happens.
    few<<<1, 128>>>(p);
    IS(cudaGetLastError(), cudaErrorInvalidValue);
    IS(cudaGetLastError(), cudaSuccess);
    OK(cudaDeviceSynchronize());
    fine<<<1, 2048>>>(p);
    IS(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    IS(cudaPeekAtLastError(), cudaSuccess);
    fine<<<0, 1>>>(p);
    IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    fine<<<1, dim3(1, 1, 128)>>>(p);
    IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    few<<<1, 64>>>(p);
    OK(cudaDeviceSynchronize());
    return result();
}
