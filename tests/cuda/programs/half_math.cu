// Arithmetic of half, half2, bfloat16 and bfloat162 against the host's, rounded from double precision.
// compile: -arch=compute_90
#include "check.hpp"
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(__half const* a, __half const* b, __half* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = __hadd(a[i], b[i]);
    out[n + i] = __hmul(a[i], b[i]);
    out[2 * n + i] = __hfma(a[i], b[i], a[i]);
    out[3 * n + i] = __hmax(a[i], b[i]);
    out[4 * n + i] = __float2half_rn(sqrtf(__half2float(__habs(a[i]))));
    __half2 const pair = __hsub2(__halves2half2(a[i], b[i]), __halves2half2(b[i], a[i]));
    out[5 * n + i] = __hlt(__low2half(pair), __high2half(pair)) ? __low2half(pair) : __high2half(pair);
}
__global__ void brains(__nv_bfloat16 const* a, __nv_bfloat16 const* b, __nv_bfloat16* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] + b[i];
    out[n + i] = a[i] * b[i];
    out[2 * n + i] = __hfma(a[i], b[i], a[i]);
    __nv_bfloat162 const pair = __hmul2(__halves2bfloat162(a[i], b[i]), __halves2bfloat162(b[i], b[i]));
    out[3 * n + i] = __low2bfloat16(pair);
}
__global__ void add_atomically(__half2* sum) { atomicAdd(sum, __floats2half2_rn(1.0f, 0.5f)); }

/// Rounds to `bits` of significand, half to even, as the format does between its smallest and largest normal numbers.
double rounded(double v, int bits, int least_exponent) {
    if (v == 0) return 0;
    int exponent = 0;
    std::frexp(v, &exponent);
    double const unit = std::ldexp(1.0, std::max(exponent, least_exponent) - bits);
    return std::nearbyint(v / unit) * unit;
}

int main() {
    int const n = 1000;
    __half *a, *b, *out;
    OK(cudaMallocManaged(&a, n * 2));
    OK(cudaMallocManaged(&b, n * 2));
    OK(cudaMallocManaged(&out, 6 * n * 2));
    for (int i = 0; i < n; ++i) {
        a[i] = __float2half(static_cast<float>((i * 37) % 513 - 256) / 64.0f);
        b[i] = __float2half(static_cast<float>((i * 91) % 777 - 388) / 300.0f);
    }
    halves<<<(n + 127) / 128, 128>>>(a, b, out, n);
    OK(cudaDeviceSynchronize());
    auto const half = [](double v) { return rounded(v, 11, -13); };
    for (int i = 0; i < n; ++i) {
        double const x = __half2float(a[i]), y = __half2float(b[i]);
        CHECK(__half2float(out[i]) == half(x + y));
        CHECK(__half2float(out[n + i]) == half(x * y));
        CHECK(__half2float(out[2 * n + i]) == half(x * y + x));
        CHECK(__half2float(out[3 * n + i]) == std::max(x, y));
        CHECK(__half2float(out[4 * n + i]) == half(std::sqrt(static_cast<float>(std::abs(x)))));
        CHECK(__half2float(out[5 * n + i]) == std::min(half(x - y), half(y - x)));
    }
    auto *c = reinterpret_cast<__nv_bfloat16*>(a), *d = reinterpret_cast<__nv_bfloat16*>(b), *e = reinterpret_cast<__nv_bfloat16*>(out);
    for (int i = 0; i < n; ++i) {
        c[i] = __float2bfloat16(static_cast<float>((i * 37) % 513 - 256) / 64.0f);
        d[i] = __float2bfloat16(static_cast<float>((i * 91) % 777 - 388) / 300.0f);
    }
    brains<<<(n + 127) / 128, 128>>>(c, d, e, n);
    OK(cudaDeviceSynchronize());
    auto const brain = [](double v) { return rounded(v, 8, -125); };
    for (int i = 0; i < n; ++i) {
        double const x = __bfloat162float(c[i]), y = __bfloat162float(d[i]);
        CHECK(__bfloat162float(e[i]) == brain(x + y));
        CHECK(__bfloat162float(e[n + i]) == brain(x * y));
        CHECK(__bfloat162float(e[2 * n + i]) == brain(x * y + x));
        CHECK(__bfloat162float(e[3 * n + i]) == brain(x * y));
    }
    __half2* sum;
    OK(cudaMallocManaged(&sum, 4));
    add_atomically<<<4, 64>>>(sum);
    OK(cudaDeviceSynchronize());
    CHECK(__low2float(*sum) == 256.0f && __high2float(*sum) == 128.0f);
    return result();
}
