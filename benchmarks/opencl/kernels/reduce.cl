kernel void reduce(int n, global uint const* in, global uint* sum) {
    local uint partial[1024];
    uint mine = 0;
    int const own = get_local_id(0);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) mine += in[i];
    partial[own] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (own < half_size) partial[own] += partial[own + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (own == 0) atomic_add(sum, partial[0]);
}
