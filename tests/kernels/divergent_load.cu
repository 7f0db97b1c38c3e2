// The two halves of every warp take different paths in a loop: neighbours in memory on one, a stride on the other.
// n is a power of two.
extern "C" __global__ void divergent_load(unsigned n, unsigned rounds, unsigned stride, unsigned const* in,
                                          unsigned* out) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = i;
    for (unsigned round = 0; round < rounds; ++round) {
        if (threadIdx.x % 32 < 16) {
            value += in[(i + round) & (n - 1)];
            value ^= value << 3;
        } else {
            value -= in[(i * stride + round * 7) & (n - 1)];
            value = value * 5 + (value >> 2);
            out[i] = value;
        }
    }
    out[i] = value;
}
