// Histograms: counters in shared memory, merged; and counters in global memory, several to a byte value.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <random>
#include <vector>

__global__ void in_shared(unsigned char const* data, unsigned* bins, int n) {
    __shared__ unsigned own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], own[i]);
}
__global__ void in_global(unsigned char const* data, unsigned long long* bins, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i] / 16], 1ull);
}
// Counters of a byte in private words, as in the smallest histograms.
__global__ void in_bytes(unsigned char const* data, unsigned* bins, int n) {
    __shared__ unsigned char own[16][64];      // bin, thread
    for (int b = 0; b < 16; ++b) own[b][threadIdx.x] = 0;
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) ++own[data[i] / 16][threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int t = 0; t < 64; ++t) sum += own[threadIdx.x][t];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

int main() {
    int const n = 100003;
    std::mt19937 random(11);
    std::vector<unsigned char> data(n);
    for (auto& v : data) v = static_cast<unsigned char>((random() % 256) * (random() % 256) / 256);
    std::vector<unsigned> wanted(256), wanted16(16);
    for (auto const v : data) ++wanted[v], ++wanted16[v / 16];

    unsigned char* d;
    unsigned* bins;
    unsigned long long* wide;
    OK(cudaMalloc(&d, n));
    OK(cudaMallocManaged(&bins, 256 * 4));
    OK(cudaMallocManaged(&wide, 16 * 8));
    OK(cudaMemcpy(d, data.data(), n, cudaMemcpyHostToDevice));
    OK(cudaMemset(bins, 0, 256 * 4));
    in_shared<<<20, 192>>>(d, bins, n);
    in_global<<<(n + 255) / 256, 256>>>(d, wide, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 256; ++i) CHECK(bins[i] == wanted[i]);
    for (int i = 0; i < 16; ++i) CHECK(wide[i] == wanted16[i]);
    OK(cudaMemset(bins, 0, 256 * 4));
    in_bytes<<<20, 64>>>(d, bins, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 16; ++i) CHECK(bins[i] == wanted16[i]);
    return result();
}
