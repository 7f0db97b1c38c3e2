// Matrix transpose: through shared memory, with and without padding, and straight.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <vector>

constexpr int tile = 32, rows = 8;

__global__ void straight(float* out, float const* in, int width, int height) {
    int const x = blockIdx.x * tile + threadIdx.x, y0 = blockIdx.y * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows) {
        if (x < width && y0 + j < height) out[x * height + y0 + j] = in[(y0 + j) * width + x];
    }
}

template <int padding>
__global__ void tiled(float* out, float const* in, int width, int height) {
    __shared__ float part[tile][tile + padding];
    int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows) {
        if (x < width && y + j < height) part[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * tile + threadIdx.x;
    y = blockIdx.x * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows) {
        if (x < height && y + j < width) out[(y + j) * height + x] = part[threadIdx.x][threadIdx.y + j];
    }
}

int main() {
    int const width = 203, height = 150;      // no multiples of the tile
    std::vector<float> in(width * height), out(width * height);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 7 % 1009);
    float *a, *b;
    OK(cudaMalloc(&a, in.size() * 4));
    OK(cudaMalloc(&b, in.size() * 4));
    OK(cudaMemcpy(a, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
    dim3 const grid((width + tile - 1) / tile, (height + tile - 1) / tile), block(tile, rows);
    for (int which = 0; which < 3; ++which) {
        OK(cudaMemset(b, 0, in.size() * 4));
        if (which == 0) straight<<<grid, block>>>(b, a, width, height);
        if (which == 1) tiled<0><<<grid, block>>>(b, a, width, height);
        if (which == 2) tiled<1><<<grid, block>>>(b, a, width, height);
        OK(cudaGetLastError());
        OK(cudaMemcpy(out.data(), b, in.size() * 4, cudaMemcpyDeviceToHost));
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) CHECK(out[x * height + y] == in[y * width + x]);
        }
    }
    return result();
}
