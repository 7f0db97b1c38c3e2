// A fast Fourier transform: radix 2 in shared memory, forward and back, against the sum it stands for.
#include "check.hpp"
#include <cmath>
#include <complex>
#include <vector>

constexpr int n = 256;

__global__ void transform(float2* data, int sign) {
    __shared__ float2 a[n], b[n];
    float2 *from = a, *to = b;
    int const t = threadIdx.x;
    float2* const own = data + blockIdx.x * n;
    a[t] = own[t];
    a[t + n / 2] = own[t + n / 2];
    for (int half = 1; half < n; half *= 2) {
        __syncthreads();
        int const k = t & (half - 1), at = 2 * t - k;
        float s, c;
        sincospif(static_cast<float>(sign * k) / static_cast<float>(half), &s, &c);
        float2 const x = from[t], y = from[t + n / 2];
        float2 const z = make_float2(y.x * c - y.y * s, y.x * s + y.y * c);
        to[at] = make_float2(x.x + z.x, x.y + z.y);
        to[at + half] = make_float2(x.x - z.x, x.y - z.y);
        float2* const swapped = from;
        from = to;
        to = swapped;
    }
    __syncthreads();
    own[t] = from[t];
    own[t + n / 2] = from[t + n / 2];
}

int main() {
    int const signals = 3;
    float2* data;
    OK(cudaMallocManaged(&data, signals * n * sizeof(float2)));
    std::vector<std::complex<double>> in(signals * n);
    for (int i = 0; i < signals * n; ++i) {
        in[i] = {static_cast<double>(i * 37 % 101) / 101 - 0.5, static_cast<double>(i * 11 % 29) / 29 - 0.5};
        data[i] = make_float2(static_cast<float>(in[i].real()), static_cast<float>(in[i].imag()));
    }
    transform<<<signals, n / 2>>>(data, -1);
    OK(cudaDeviceSynchronize());
    double const pi = std::acos(-1.0);
    for (int s = 0; s < signals; ++s) {
        for (int k = 0; k < n; ++k) {
            std::complex<double> sum = 0;
            for (int i = 0; i < n; ++i) sum += in[s * n + i] * std::polar(1.0, -2 * pi * (i * k % n) / n);
            CHECK(std::abs(sum - std::complex<double>(data[s * n + k].x, data[s * n + k].y)) < 2e-4);
        }
    }
    transform<<<signals, n / 2>>>(data, 1);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < signals * n; ++i) {
        CHECK(std::abs(in[i] - std::complex<double>(data[i].x, data[i].y) / static_cast<double>(n)) < 1e-6);
    }
    return result();
}
