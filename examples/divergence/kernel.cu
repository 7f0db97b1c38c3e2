// Two ways to give half of the threads one piece of work and the other half another. Both kernels do the same work;
// they differ in which threads share a warp.
__device__ unsigned work(unsigned seed, unsigned multiplier, unsigned rounds) {
    unsigned value = seed;
    for (unsigned round = 0; round < rounds; ++round) {
        value = value * multiplier + (value >> 3);
    }
    return value;
}

// Even lanes go left, odd lanes go right: every warp walks both paths, each with half of its lanes.
extern "C" __global__ void by_lane(unsigned rounds, unsigned* out) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 2 == 0) {
        out[i] = work(i, 5, rounds);
    } else {
        out[i] = work(i, 7, rounds) ^ 1;
    }
}

// Even warps go left, odd warps go right: every warp walks one path with all of its lanes.
extern "C" __global__ void by_warp(unsigned rounds, unsigned* out) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x / 32 % 2 == 0) {
        out[i] = work(i, 5, rounds);
    } else {
        out[i] = work(i, 7, rounds) ^ 1;
    }
}
