// Matrix products: tiles in shared memory, with tiles of registers; integers and reals.
// compile: -arch=compute_80
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <cmath>
#include <vector>

template <class T>
__global__ void tiled(T const* a, T const* b, T* c, int n, int k, int m) {
    constexpr int tile = 16;
    __shared__ T sa[tile][tile], sb[tile][tile + 1];
    int const row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    T sum = 0;
    for (int t = 0; t < k; t += tile) {
        sa[threadIdx.y][threadIdx.x] = row < n && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : T(0);
        sb[threadIdx.y][threadIdx.x] = t + threadIdx.y < k && column < m ? b[(t + threadIdx.y) * m + column] : T(0);
        __syncthreads();
        for (int i = 0; i < tile; ++i) sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < m) c[row * m + column] = sum;
}
// 4 x 4 results a thread.
__global__ void blocked(float const* a, float const* b, float* c, int n) {
    __shared__ float sa[8][64], sb[8][64];
    int const t = threadIdx.y * 16 + threadIdx.x;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 8) {
        for (int i = t; i < 512; i += 256) {
            sa[i % 8][i / 8] = a[(blockIdx.y * 64 + i / 8) * n + k + i % 8];
            sb[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
        for (int i = 0; i < 8; ++i) {
            float4 const x = *reinterpret_cast<float4*>(&sa[i][threadIdx.y * 4]), y = *reinterpret_cast<float4*>(&sb[i][threadIdx.x * 4]);
            float const xs[] = {x.x, x.y, x.z, x.w}, ys[] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int r = 0; r < 4; ++r) {
#pragma unroll
                for (int s = 0; s < 4; ++s) sum[r][s] = fmaf(xs[r], ys[s], sum[r][s]);
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; ++r) {
        for (int s = 0; s < 4; ++s) c[(blockIdx.y * 64 + threadIdx.y * 4 + r) * n + blockIdx.x * 64 + threadIdx.x * 4 + s] = sum[r][s];
    }
}

template <class T>
void check_tiled(int n, int k, int m) {
    T *a, *b, *c;
    OK(cudaMallocManaged(&a, n * k * sizeof(T)));
    OK(cudaMallocManaged(&b, k * m * sizeof(T)));
    OK(cudaMallocManaged(&c, n * m * sizeof(T)));
    for (int i = 0; i < n * k; ++i) a[i] = static_cast<T>(i % 13 - 6);
    for (int i = 0; i < k * m; ++i) b[i] = static_cast<T>(i % 7 - 3);
    tiled<T><<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n, k, m);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) {
            T sum = 0;
            for (int t = 0; t < k; ++t) sum += a[i * k + t] * b[t * m + j];
            CHECK(c[i * m + j] == sum);      // small whole numbers: exact in every type
        }
    }
}

int main() {
    check_tiled<float>(50, 70, 33);
    check_tiled<double>(17, 40, 16);
    check_tiled<int>(33, 33, 33);
    int const n = 128;
    float *a, *b, *c;
    for (float** p : {&a, &b, &c}) OK(cudaMallocManaged(p, n * n * 4));
    for (int i = 0; i < n * n; ++i) a[i] = static_cast<float>(i * 37 % 101) / 101.0f, b[i] = static_cast<float>(i * 53 % 97) / 97.0f;
    blocked<<<dim3(n / 64, n / 64), dim3(16, 16)>>>(a, b, c, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int t = 0; t < n; ++t) sum = std::fmaf(a[i * n + t], b[t * n + j], sum);
            CHECK(c[i * n + j] == sum);
        }
    }
    return result();
}
