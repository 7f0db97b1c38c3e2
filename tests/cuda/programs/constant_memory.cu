// Constants: arrays, structures and matrices, indexed by the same and by different lanes; changed between launches.
#include "check.hpp"
#include <cstring>

struct Settings {
    float scale;
    int offset[3];
    double weight;
};
__constant__ int table[64] = {0, 1, 4, 9, 16, 25, 36};
__constant__ Settings settings = {2.0f, {1, 2, 3}, 0.5};
__constant__ float matrix[4][4];
__device__ int counter = 5;

__global__ void look_up(int* out) { out[threadIdx.x] = table[(threadIdx.x * 7) % 64] + settings.offset[threadIdx.x % 3]; }
__global__ void apply(float4 const* in, float4* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float const v[4] = {in[i].x, in[i].y, in[i].z, in[i].w};
    float r[4];
    for (int row = 0; row < 4; ++row) {
        r[row] = 0;
        for (int k = 0; k < 4; ++k) r[row] += matrix[row][k] * v[k];
    }
    out[i] = make_float4(r[0], r[1], r[2], r[3] * settings.scale);
    if (i == 0) counter += static_cast<int>(settings.weight * 4);
}

int main() {
    int* out;
    OK(cudaMallocManaged(&out, 64 * 4));
    int squares[64];
    for (int round = 0; round < 2; ++round) {
        look_up<<<1, 64>>>(out);
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < 64; ++i) {
            int const at = i * 7 % 64;
            CHECK(out[i] == (round == 1 ? at * at : at < 7 ? at * at : 0) + i % 3 + 1 + 10 * round);
        }
        for (int i = 0; i < 64; ++i) squares[i] = i * i;
        OK(cudaMemcpyToSymbol(table, squares + 7, 57 * 4, 7 * 4));
        int const offsets[] = {11, 12, 13};
        OK(cudaMemcpyToSymbol(settings, offsets, sizeof offsets, offsetof(Settings, offset)));
    }
    float host[4][4];
    for (int i = 0; i < 16; ++i) host[i / 4][i % 4] = static_cast<float>(i + 1);
    OK(cudaMemcpyToSymbolAsync(matrix, host, sizeof host, 0, cudaMemcpyHostToDevice, nullptr));
    float4 *in, *r;
    OK(cudaMallocManaged(&in, 100 * sizeof(float4)));
    OK(cudaMallocManaged(&r, 100 * sizeof(float4)));
    for (int i = 0; i < 100; ++i) in[i] = make_float4(static_cast<float>(i), 1, 2, 3);
    apply<<<2, 64>>>(in, r, 100);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 100; ++i) {
        auto const x = static_cast<float>(i);
        CHECK(r[i].x == x + 2 + 6 + 12 && r[i].y == 5 * x + 6 + 14 + 24 && r[i].z == 9 * x + 10 + 22 + 36);
        CHECK(r[i].w == 2 * (13 * x + 14 + 30 + 48));
    }
    int count = 0;
    OK(cudaMemcpyFromSymbol(&count, counter, 4));
    CHECK(count == 7);
    void* address = nullptr;
    std::size_t size = 0;
    OK(cudaGetSymbolAddress(&address, settings));
    OK(cudaGetSymbolSize(&size, settings));
    CHECK(address != nullptr && size == sizeof(Settings));
    Settings back;
    OK(cudaMemcpy(&back, address, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back.scale == 2.0f && back.offset[2] == 13 && back.weight == 0.5);
    return result();
}
