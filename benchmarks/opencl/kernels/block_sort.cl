kernel void block_sort(global int const* in, global int* out) {
    local int keys[512];
    int const own = get_local_id(0), base = get_group_id(0) * 512;
    keys[own] = in[base + own];
    keys[own + 256] = in[base + own + 256];
    for (int size = 2; size <= 512; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int const low = 2 * own - (own & (distance - 1)), high = low + distance;
            int const a = keys[low], b = keys[high];
            bool const is_up = (low & size) == 0;
            keys[low] = is_up ? min(a, b) : max(a, b);
            keys[high] = is_up ? max(a, b) : min(a, b);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + own] = keys[own];
    out[base + own + 256] = keys[own + 256];
}
