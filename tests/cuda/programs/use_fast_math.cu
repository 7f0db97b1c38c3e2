// Kernels built with -use_fast_math: approximate functions inside their documented error, subnormals flushed.
// compile: -use_fast_math
#include "check.hpp"
#include <cmath>
#include <cstring>

__global__ void functions(float const* x, float* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = sinf(x[i]);
    out[n + i] = cosf(x[i]);
    out[2 * n + i] = expf(x[i]);
    out[3 * n + i] = logf(x[i] + 5.0f);
    out[4 * n + i] = x[i] / 3.0f;
    out[5 * n + i] = sqrtf(x[i] * x[i] + 1.0f);
    out[6 * n + i] = powf(x[i] * x[i] + 1.0f, 1.5f);
    out[7 * n + i] = tanhf(x[i]);
}
__global__ void flush(float const* x, float* out) { out[0] = x[0] * 0.5f; }

int main() {
    int const n = 500;
    float *x, *out;
    OK(cudaMallocManaged(&x, n * 4));
    OK(cudaMallocManaged(&out, 8 * n * 4));
    for (int i = 0; i < n; ++i) x[i] = -3.0f + 6.0f * static_cast<float>(i) / n;
    functions<<<4, 128>>>(x, out, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        double const v = x[i];
        auto const near = [&](int k, double wanted, double absolute, double relative) {
            return std::abs(out[k * n + i] - wanted) <= absolute + relative * std::abs(wanted);
        };
        CHECK(near(0, std::sin(v), 6e-7, 0));        // 2^-21.4 in -pi to pi
        CHECK(near(1, std::cos(v), 6e-7, 0));
        CHECK(near(2, std::exp(v), 0, 6e-7));
        CHECK(near(3, std::log(v + 5.0), 5e-7, 4e-7));
        CHECK(near(4, v / 3.0, 0, 2.5e-7));
        CHECK(near(5, std::sqrt(v * v + 1.0), 0, 4e-7));
        CHECK(near(6, std::pow(v * v + 1.0, 1.5), 0, 2e-6));
        CHECK(near(7, std::tanh(v), 0, 1e-3));
    }
    unsigned const least = 0x00800000u;
    std::memcpy(x, &least, 4);
    flush<<<1, 1>>>(x, out);
    OK(cudaDeviceSynchronize());
    CHECK(out[0] == 0.0f);
    return result();
}
