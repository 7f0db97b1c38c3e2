// What a program gets back when it does something wrong.
#include "check.hpp"
__global__ void empty() {}
__global__ void takes_much(int* p) {
    __shared__ int s[1024];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[1023 - threadIdx.x];
}
int main() {
    void* p = nullptr;
    IS(cudaMalloc(&p, std::size_t{1} << 60), cudaErrorMemoryAllocation);
    IS(cudaGetLastError(), cudaErrorMemoryAllocation);
    IS(cudaGetLastError(), cudaSuccess);
    IS(cudaMalloc(nullptr, 4), cudaErrorInvalidValue);
    IS(cudaPeekAtLastError(), cudaErrorInvalidValue);
    IS(cudaPeekAtLastError(), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    IS(cudaSetDevice(99), cudaErrorInvalidDevice);
    (void)cudaGetLastError();
    empty<<<1, 2000>>>();
    IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    empty<<<0, 32>>>();
    IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    empty<<<dim3(1, 70000), 32>>>();
    IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    empty<<<1, 32, 1 << 20>>>();
    IS(cudaGetLastError(), cudaErrorInvalidValue);
    empty<<<1, 32, 60000>>>();
    IS(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    empty<<<1, 32, 60000>>>();
    OK(cudaGetLastError());
    IS(cudaFree(reinterpret_cast<void*>(0x1234)), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    int x = 0, y = 0;
    IS(cudaMemcpy(&x, &y, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    OK(cudaMalloc(&p, 64));
    char bytes[128] = {};
    IS(cudaMemcpy(p, bytes, 65, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    IS(cudaEventDestroy(reinterpret_cast<cudaEvent_t>(0x77)), cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();
    void* args[1] = {&p};
    IS(cudaLaunchKernel(reinterpret_cast<void*>(&x), dim3(1), dim3(1), args, 0, nullptr), cudaErrorInvalidDeviceFunction);
    (void)cudaGetLastError();
    OK(cudaDeviceSynchronize());
    return result();
}
