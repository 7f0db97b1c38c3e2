// y = a x + y, and a test of it: for as many elements as the argument says.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void saxpy(int n, float a, float const* x, float* y) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef WITHOUT_BOUNDS
    y[i] = a * x[i] + y[i];
#else
    if (i < n) y[i] = a * x[i] + y[i];
#endif
}

static void check(cudaError_t status, char const* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

int main(int argc, char** argv) {
    int const n = argc > 1 ? std::atoi(argv[1]) : 1000;
    std::size_t const bytes = n * sizeof(float);
    std::vector<float> x(n), y(n, 1.0f);
    for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i);
    float *dx = nullptr, *dy = nullptr;
    check(cudaMalloc(&dx, bytes), "cudaMalloc");
    check(cudaMalloc(&dy, bytes), "cudaMalloc");
    check(cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, dx, dy);
    check(cudaGetLastError(), "saxpy");
    check(cudaMemcpy(y.data(), dy, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
#ifndef LEAKING
    check(cudaFree(dx), "cudaFree");
    check(cudaFree(dy), "cudaFree");
#endif
    for (int i = 0; i < n; ++i) {
        if (y[i] == 2.0f * x[i] + 1.0f) continue;
        std::fprintf(stderr, "y[%d] is %g\n", i, y[i]);
        return 1;
    }
    std::puts("ok");
    return 0;
}
