// One thread follows a chain of indices through an array: each load waits for the one before, so that its latency shows.
extern "C" __global__ void chase(unsigned const* next, unsigned steps, unsigned* end) {
    unsigned at = 0;
    for (unsigned step = 0; step < steps; ++step) {
        at = next[at];
    }
    *end = at;
}

// All threads read the same array again and again, each warp 32 neighbours at a time.
extern "C" __global__ void reread(float const* data, unsigned count, unsigned rounds, float* out) {
    float sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
            sum += data[i];
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
