kernel void transpose(int width, int height, global float const* in, global float* out) {
    local float tile[32][33];
    int const lx = get_local_id(0), ly = get_local_id(1);
    int const x = get_group_id(0) * 32 + lx, y = get_group_id(1) * 32 + ly;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height) tile[ly + j][lx] = in[(y + j) * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int const to_x = get_group_id(1) * 32 + lx, to_y = get_group_id(0) * 32 + ly;
    for (int j = 0; j < 32; j += 8)
        if (to_x < height && to_y + j < width) out[(to_y + j) * height + to_x] = tile[lx][ly + j];
}
