kernel void histogram(int n, global uchar const* in, global uint* bins) {
    local uint own[256];
    for (int bin = get_local_id(0); bin < 256; bin += get_local_size(0)) own[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&own[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int bin = get_local_id(0); bin < 256; bin += get_local_size(0))
        if (own[bin] != 0) atomic_add(&bins[bin], own[bin]);
}
