// Sums by shuffles: each warp reduces rounds * 32 values in its registers.
extern "C" __global__ void warp_reduction(int rounds, float const* x, float* sums) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.0f;
    for (int round = 0; round < rounds; ++round) {
        float value = x[i] + static_cast<float>(round);
        for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
        total += value;
    }
    if (threadIdx.x % 32 == 0) sums[i / 32] = total;
}
