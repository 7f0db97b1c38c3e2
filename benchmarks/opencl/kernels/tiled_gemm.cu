// A product of square matrices: a CTA computes 64 x 64 elements, a thread 4 x 4 of them, from tiles in shared memory.
extern "C" __global__ void tiled_gemm(int n, float const* a, float const* b, float* c) {
    __shared__ float tile_a[16][64], tile_b[16][64];
    int const x = threadIdx.x, y = threadIdx.y, own = y * 16 + x;
    int const row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sums[4][4] = {};
    for (int start = 0; start < n; start += 16) {
        for (int i = own; i < 1024; i += 256) {
            tile_a[i % 16][i / 16] = a[(row + i / 16) * n + start + i % 16];
            tile_b[i / 64][i % 64] = b[(start + i / 64) * n + column + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sums[i][j] += tile_a[k][y + 16 * i] * tile_b[k][x + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) c[(row + y + 16 * i) * n + column + x + 16 * j] = sums[i][j];
}
