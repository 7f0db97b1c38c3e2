// C = A B of square row-major matrices, 16x16 tiles through shared memory. Launch with 16x16 threads.
constexpr int tile = 16;

extern "C" __global__ void matmul(int n, float const* a, float const* b, float* c) {
    __shared__ float tile_a[tile][tile];
    __shared__ float tile_b[tile][tile];
    int const column = blockIdx.x * tile + threadIdx.x;
    int const row = blockIdx.y * tile + threadIdx.y;
    float sum = 0.0f;
    for (int start = 0; start < n; start += tile) {
        int const k_a = start + threadIdx.x;
        int const k_b = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < n && k_a < n ? a[row * n + k_a] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = k_b < n && column < n ? b[k_b * n + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < tile; ++k) {
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < n && column < n) {
        c[row * n + column] = sum;
    }
}
