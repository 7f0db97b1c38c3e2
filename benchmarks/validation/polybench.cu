// PolyBench's kernels as its GPU version describes them: single precision, row-major, one thread per element of the
// result, accumulation directly in global memory, and sizes that the compiler knows.

extern "C" __global__ void convolution(float const* a, float* b) {
    int const rows = 4096, columns = 4096;
    int const j = blockIdx.x * blockDim.x + threadIdx.x;
    int const i = blockIdx.y * blockDim.y + threadIdx.y;
    float const c11 = +0.2f, c21 = +0.5f, c31 = -0.8f;
    float const c12 = -0.3f, c22 = +0.6f, c32 = -0.9f;
    float const c13 = +0.4f, c23 = +0.7f, c33 = +0.10f;
    if (i > 0 && j > 0 && i < rows - 1 && j < columns - 1)
        b[i * columns + j] = c11 * a[(i - 1) * columns + (j - 1)] + c21 * a[(i - 1) * columns + j] +
                             c31 * a[(i - 1) * columns + (j + 1)] + c12 * a[i * columns + (j - 1)] +
                             c22 * a[i * columns + j] + c32 * a[i * columns + (j + 1)] +
                             c13 * a[(i + 1) * columns + (j - 1)] + c23 * a[(i + 1) * columns + j] +
                             c33 * a[(i + 1) * columns + (j + 1)];
}

extern "C" __global__ void gemm(float* a, float* b, float* c) {
    int const ni = 512, nj = 512, nk = 512;
    float const alpha = 32412.0f, beta = 2123.0f;
    int const j = blockIdx.x * blockDim.x + threadIdx.x;
    int const i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        c[i * nj + j] *= beta;
        for (int k = 0; k < nk; ++k) c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
    }
}

extern "C" __global__ void atax_rows(float* a, float* x, float* tmp) {
    int const nx = 4096, ny = 4096;
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nx)
        for (int j = 0; j < ny; ++j) tmp[i] += a[i * ny + j] * x[j];
}

extern "C" __global__ void atax_columns(float* a, float* y, float* tmp) {
    int const nx = 4096, ny = 4096;
    int const j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny)
        for (int i = 0; i < nx; ++i) y[j] += a[i * ny + j] * tmp[i];
}
