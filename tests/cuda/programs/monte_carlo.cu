// Pi by darts from a counter-based generator (Philox 4x32-10): the host draws the same numbers.
#include "check.hpp"
#include <cmath>
#include <cstdint>

struct Four {
    std::uint32_t v[4];
};
__host__ __device__ Four philox(Four counter, std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < 10; ++round) {
        std::uint64_t const a = std::uint64_t{0xD2511F53u} * counter.v[0], b = std::uint64_t{0xCD9E8D57u} * counter.v[2];
        counter = {{static_cast<std::uint32_t>(b >> 32) ^ counter.v[1] ^ key0, static_cast<std::uint32_t>(b),
                    static_cast<std::uint32_t>(a >> 32) ^ counter.v[3] ^ key1, static_cast<std::uint32_t>(a)}};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}
__host__ __device__ int hits(std::uint32_t thread, int draws) {
    int sum = 0;
    for (int i = 0; i < draws; ++i) {
        Four const r = philox({{static_cast<std::uint32_t>(i), thread, 0, 0}}, 42, 7);
        for (int k = 0; k < 4; k += 2) {
            std::uint64_t const x = r.v[k] >> 1, y = r.v[k + 1] >> 1;
            sum += x * x + y * y < (std::uint64_t{1} << 62);
        }
    }
    return sum;
}
__global__ void throw_darts(unsigned long long* total, int draws) {
    __shared__ int sums[128];
    sums[threadIdx.x] = hits(blockIdx.x * blockDim.x + threadIdx.x, draws);
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    }
    if (threadIdx.x == 0) atomicAdd(total, static_cast<unsigned long long>(sums[0]));
}

int main() {
    int const blocks = 8, threads = 128, draws = 40;
    unsigned long long* total;
    OK(cudaMallocManaged(&total, 8));
    throw_darts<<<blocks, threads>>>(total, draws);
    OK(cudaDeviceSynchronize());
    unsigned long long wanted = 0;
    for (int t = 0; t < blocks * threads; ++t) wanted += static_cast<unsigned long long>(hits(static_cast<std::uint32_t>(t), draws));
    CHECK(*total == wanted);
    double const pi = 4.0 * static_cast<double>(*total) / (2.0 * blocks * threads * draws);
    CHECK(std::abs(pi - 3.14159265) < 0.03);
    // The published test vector of the generator: all zeros.
    Four const zero = philox({{0, 0, 0, 0}}, 0, 0);
    CHECK(zero.v[0] == 0x6627e8d5u && zero.v[1] == 0xe169c58du && zero.v[2] == 0xbc57ac4cu && zero.v[3] == 0x9b00dbd8u);
    return result();
}
