// Prefix sums of an array of any length: blocks, then the sums of blocks, then both together.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <random>
#include <vector>

constexpr int block = 256;

__device__ int scan_warp(int value) {
    for (int distance = 1; distance < 32; distance *= 2) {
        int const other = __shfl_up_sync(~0u, value, distance);
        if ((threadIdx.x & 31) >= distance) value += other;
    }
    return value;
}

__global__ void scan_blocks(int* out, int const* in, int* sums, int n) {
    __shared__ int warps[block / 32];
    int const i = blockIdx.x * block + threadIdx.x, warp = threadIdx.x / 32;
    int value = scan_warp(i < n ? in[i] : 0);
    if ((threadIdx.x & 31) == 31) warps[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int const sum = scan_warp(threadIdx.x < block / 32 ? warps[threadIdx.x] : 0);
        if (threadIdx.x < block / 32) warps[threadIdx.x] = sum;
    }
    __syncthreads();
    if (warp > 0) value += warps[warp - 1];
    if (i < n) out[i] = value;
    if (threadIdx.x == block - 1) sums[blockIdx.x] = value;
}
__global__ void add_sums(int* out, int const* sums, int n) {
    int const i = blockIdx.x * block + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

void scan(int* out, int const* in, int n) {
    int const blocks = (n + block - 1) / block;
    int* sums = nullptr;
    OK(cudaMalloc(&sums, blocks * sizeof(int)));
    scan_blocks<<<blocks, block>>>(out, in, sums, n);
    if (blocks > 1) {
        scan(sums, sums, blocks);
        add_sums<<<blocks, block>>>(out, sums, n);
    }
    OK(cudaFree(sums));
}

int main() {
    std::mt19937 random(3);
    for (int const n : {1, 31, 256, 257, 70000}) {
        std::vector<int> in(n), out(n);
        for (int& v : in) v = static_cast<int>(random() % 201) - 100;
        int *a, *b;
        OK(cudaMalloc(&a, n * 4));
        OK(cudaMalloc(&b, n * 4));
        OK(cudaMemcpy(a, in.data(), n * 4, cudaMemcpyHostToDevice));
        scan(b, a, n);
        OK(cudaMemcpy(out.data(), b, n * 4, cudaMemcpyDeviceToHost));
        int sum = 0;
        for (int i = 0; i < n; ++i) CHECK(out[i] == (sum += in[i]));
        OK(cudaFree(a));
        OK(cudaFree(b));
    }
    return result();
}
