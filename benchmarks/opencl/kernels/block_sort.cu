// Sorts each CTA's 512 numbers by bitonic merges, two numbers a thread.
extern "C" __global__ void block_sort(int const* in, int* out) {
    __shared__ int keys[512];
    int const own = threadIdx.x, base = blockIdx.x * 512;
    keys[own] = in[base + own];
    keys[own + 256] = in[base + own + 256];
    for (int size = 2; size <= 512; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            int const low = 2 * own - (own & (distance - 1)), high = low + distance;
            int const a = keys[low], b = keys[high];
            bool const is_up = (low & size) == 0;
            keys[low] = is_up ? min(a, b) : max(a, b);
            keys[high] = is_up ? max(a, b) : min(a, b);
        }
    }
    __syncthreads();
    out[base + own] = keys[own];
    out[base + own + 256] = keys[own + 256];
}
