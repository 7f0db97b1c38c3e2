// Kernels whose instructions were counted on hardware, written from their descriptions: fp32, row-major, one thread per
// element of the result, sums straight into global memory.
constexpr int size = 4096, gemm_size = 512;

extern "C" __global__ void convolution(float const* a, float* b) {
    int const j = blockIdx.x * blockDim.x + threadIdx.x;
    int const i = blockIdx.y * blockDim.y + threadIdx.y;
    float const c11 = +0.2f, c21 = +0.5f, c31 = -0.8f, c12 = -0.3f, c22 = +0.6f, c32 = -0.9f, c13 = +0.4f, c23 = +0.7f, c33 = +0.10f;
    if (i < size - 1 && j < size - 1 && i > 0 && j > 0) {
        b[i * size + j] = c11 * a[(i - 1) * size + (j - 1)] + c21 * a[(i - 1) * size + (j + 0)] + c31 * a[(i - 1) * size + (j + 1)] +
                          c12 * a[(i + 0) * size + (j - 1)] + c22 * a[(i + 0) * size + (j + 0)] + c32 * a[(i + 0) * size + (j + 1)] +
                          c13 * a[(i + 1) * size + (j - 1)] + c23 * a[(i + 1) * size + (j + 0)] + c33 * a[(i + 1) * size + (j + 1)];
    }
}

extern "C" __global__ void gemm(float* a, float* b, float* c, float alpha, float beta) {
    int const j = blockIdx.x * blockDim.x + threadIdx.x;
    int const i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < gemm_size && j < gemm_size) {
        c[i * gemm_size + j] *= beta;
        for (int k = 0; k < gemm_size; k++) c[i * gemm_size + j] += alpha * a[i * gemm_size + k] * b[k * gemm_size + j];
    }
}

extern "C" __global__ void rows(float* a, float* x, float* tmp) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        for (int j = 0; j < size; j++) tmp[i] += a[i * size + j] * x[j];
    }
}

extern "C" __global__ void columns(float* a, float* y, float* tmp) {
    int const j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < size) {
        for (int i = 0; i < size; i++) y[j] += a[i * size + j] * tmp[i];
    }
}

// Rodinia's gaussian: one step of the elimination.
extern "C" __global__ void multipliers(float* m, float* a, int n, int t) {
    if (threadIdx.x + blockIdx.x * blockDim.x >= n - 1 - t) return;
    *(m + n * (blockDim.x * blockIdx.x + threadIdx.x + t + 1) + t) =
        *(a + n * (blockDim.x * blockIdx.x + threadIdx.x + t + 1) + t) / *(a + n * t + t);
}

extern "C" __global__ void eliminate(float* m, float* a, float* b, int n, int j1, int t) {
    if (threadIdx.x + blockIdx.x * blockDim.x >= n - 1 - t) return;
    if (threadIdx.y + blockIdx.y * blockDim.y >= n - t) return;
    int const x = blockIdx.x * blockDim.x + threadIdx.x;
    int const y = blockIdx.y * blockDim.y + threadIdx.y;
    a[n * (x + 1 + t) + (y + t)] -= m[n * (x + 1 + t) + t] * a[n * t + (y + t)];
    if (y == 0) b[x + 1 + t] -= m[n * (x + 1 + t) + (y + t)] * b[t];
}
