kernel void tiled_gemm(int n, global float const* a, global float const* b, global float* c) {
    local float tile_a[16][64], tile_b[16][64];
    int const x = get_local_id(0), y = get_local_id(1), own = y * 16 + x;
    int const row = get_group_id(1) * 64, column = get_group_id(0) * 64;
    float sums[4][4] = {{0.0f}};
    for (int start = 0; start < n; start += 16) {
        for (int i = own; i < 1024; i += 256) {
            tile_a[i % 16][i / 16] = a[(row + i / 16) * n + start + i % 16];
            tile_b[i / 64][i % 64] = b[(start + i / 64) * n + column + i % 64];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sums[i][j] += tile_a[k][y + 16 * i] * tile_b[k][x + 16 * j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) c[(row + y + 16 * i) * n + column + x + 16 * j] = sums[i][j];
}
