kernel void matmul(int n, global float const* a, global float const* b, global float* c) {
    local float tile_a[16][16], tile_b[16][16];
    int const x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int start = 0; start < n; start += 16) {
        tile_a[y][x] = row < n && start + x < n ? a[row * n + start + x] : 0.0f;
        tile_b[y][x] = start + y < n && column < n ? b[(start + y) * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k) sum += tile_a[y][k] * tile_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
