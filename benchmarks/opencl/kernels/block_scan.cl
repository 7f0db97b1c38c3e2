kernel void block_scan(global int const* in, global int* out) {
    local int sums[256];
    int const own = get_local_id(0), i = get_global_id(0);
    sums[own] = in[i];
    for (int distance = 1; distance < 256; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int const before = own >= distance ? sums[own - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[own] += before;
    }
    out[i] = sums[own];
}
