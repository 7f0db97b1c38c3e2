// A separable filter with its weights in constant memory, rows then columns, with a halo in shared memory.
#include "check.hpp"
#include <cmath>
#include <vector>

constexpr int radius = 5, tile_x = 32, tile_y = 8;
__constant__ float weights[2 * radius + 1];

__global__ void rows(float* out, float const* in, int w, int h) {
    __shared__ float line[tile_y][tile_x + 2 * radius];
    int const x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
    for (int i = threadIdx.x; i < tile_x + 2 * radius; i += tile_x) {
        int const at = static_cast<int>(blockIdx.x) * tile_x + i - radius;
        line[threadIdx.y][i] = at >= 0 && at < w && y < h ? in[y * w + at] : 0.0f;
    }
    __syncthreads();
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) sum += weights[k + radius] * line[threadIdx.y][threadIdx.x + radius + k];
    out[y * w + x] = sum;
}
__global__ void columns(float* out, float const* in, int w, int h) {
    int const x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) {
        if (y + k >= 0 && y + k < h) sum = fmaf(weights[k + radius], __ldg(&in[(y + k) * w + x]), sum);
    }
    out[y * w + x] = sum;
}

int main() {
    int const w = 131, h = 77;
    std::vector<float> in(w * h), out(w * h), filter(2 * radius + 1);
    for (int i = 0; i < w * h; ++i) in[i] = static_cast<float>((i * 37) % 256) / 16.0f;
    for (int k = -radius; k <= radius; ++k) filter[k + radius] = std::exp(-0.1f * static_cast<float>(k * k));
    float *a, *b, *c;
    OK(cudaMalloc(&a, w * h * 4));
    OK(cudaMalloc(&b, w * h * 4));
    OK(cudaMalloc(&c, w * h * 4));
    OK(cudaMemcpy(a, in.data(), w * h * 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToSymbol(weights, filter.data(), filter.size() * 4));
    dim3 const grid((w + tile_x - 1) / tile_x, (h + tile_y - 1) / tile_y), block(tile_x, tile_y);
    rows<<<grid, block>>>(b, a, w, h);
    columns<<<grid, block>>>(c, b, w, h);
    OK(cudaMemcpy(out.data(), c, w * h * 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            double sum = 0;
            for (int j = -radius; j <= radius; ++j) {
                for (int i = -radius; i <= radius; ++i) {
                    if (x + i < 0 || x + i >= w || y + j < 0 || y + j >= h) continue;
                    sum += double{filter[i + radius]} * filter[j + radius] * in[(y + j) * w + x + i];
                }
            }
            CHECK(std::abs(out[y * w + x] - sum) <= 1e-5 * (1 + std::abs(sum)));
        }
    }
    return result();
}
