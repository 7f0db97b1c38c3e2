// What the runtime tells of kernels, and launches by it.
#include "check.hpp"
#include <vector>

__global__ void scale(int* p, int n, int f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] *= f;
}
__global__ void __launch_bounds__(128, 2) bounded(int* p) { p[threadIdx.x] = 1; }
__global__ void greedy(int* p) {
    __shared__ int big[10000];
    big[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = big[blockDim.x - 1 - threadIdx.x];
}
template <int n>
__global__ void templated(int* p) { p[threadIdx.x] = n; }

int main() {
    cudaDeviceProp properties;
    OK(cudaGetDeviceProperties(&properties, 0));
    int grid = 0, block = 0, blocks = 0;
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0));
    CHECK(block > 0 && block <= properties.maxThreadsPerBlock && block % 32 == 0 && grid >= properties.multiProcessorCount);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, block, 0));
    CHECK(blocks * properties.multiProcessorCount == grid);
    CHECK(blocks * block <= properties.maxThreadsPerMultiProcessor);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, greedy, 32, 0));
    CHECK(blocks == static_cast<int>(properties.sharedMemPerMultiprocessor / (40000 + 1024)) ||
          blocks == static_cast<int>(properties.sharedMemPerMultiprocessor / (40064 + 1024)));
    std::size_t room = 0, least = properties.sharedMemPerMultiprocessor / 8 - 1024 - 128;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, scale, 1, 256));
    CHECK(room == properties.sharedMemPerBlock);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, greedy, 1, 256));
    CHECK(room == properties.sharedMemPerBlock - 40000);
    OK(cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(properties.sharedMemPerBlockOptin)));
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, scale, 1, 256));
    CHECK(room == properties.sharedMemPerBlockOptin);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, scale, 8, 128));
    CHECK(room >= least && room < properties.sharedMemPerBlock);
    IS(cudaOccupancyAvailableDynamicSMemPerBlock(&room, scale, 0, 128), cudaErrorInvalidValue);
    (void)cudaGetLastError();
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, bounded));
    CHECK(a.maxThreadsPerBlock == 128 && a.sharedSizeBytes == 0 && a.numRegs > 0);
    OK(cudaFuncGetAttributes(&a, greedy));
    CHECK(a.sharedSizeBytes == 40000);
    IS(cudaFuncGetAttributes(&a, reinterpret_cast<void const*>(main)), cudaErrorInvalidDeviceFunction);
    cudaGetLastError();
    int* p;
    int const n = 30000;
    OK(cudaMallocManaged(&p, n * 4));
    for (int i = 0; i < n; ++i) p[i] = i;
    scale<<<grid, block>>>(p, n, 3);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK(p[i] == 3 * i);
    greedy<<<1, 64>>>(p);
    templated<5><<<1, 32>>>(p);
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 5 && p[31] == 5 && p[32] == 3 * 31 && p[63] == 0);
    return result();
}
