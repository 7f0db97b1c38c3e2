// What a program learns of the device and of its kernels.
#include "check.hpp"
#include <cstring>
__global__ void __launch_bounds__(128) bounded(float* p) {
    __shared__ float s[64];
    s[threadIdx.x % 64] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[0];
}
int main() {
    int count = 0;
    OK(cudaGetDeviceCount(&count));
    CHECK(count == 1);
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    CHECK(std::strlen(p.name) > 3);
    CHECK(p.warpSize == 32);
    CHECK(p.maxThreadsPerBlock == 1024);
    CHECK(p.maxThreadsDim[2] == 64);
    CHECK(p.sharedMemPerBlock == 49152);
    CHECK(p.multiProcessorCount > 0);
    CHECK(p.totalGlobalMem > 0);
    CHECK(p.unifiedAddressing == 1 && p.managedMemory == 1);
    int major = 0, sms = 0;
    OK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(major == p.major && sms == p.multiProcessorCount);
    std::size_t free, total;
    OK(cudaMemGetInfo(&free, &total));
    CHECK(free > 0 && free <= total && total == p.totalGlobalMem);
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, bounded));
    CHECK(a.sharedSizeBytes == 256);
    CHECK(a.maxThreadsPerBlock == 128);
    CHECK(a.numRegs > 0);
    int blocks = 0, grid = 0, block = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 0));
    CHECK(blocks == p.maxThreadsPerMultiProcessor / 128);
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded));
    CHECK(block == 128 && grid == blocks * sms);
    int version = 0;
    OK(cudaRuntimeGetVersion(&version));
    CHECK(version / 1000 == CUDART_VERSION / 1000);
    return result();
}
