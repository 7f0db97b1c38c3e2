// The same code under two models of control flow. Run it with each and compare the active masks.

// Lanes leave this loop one after the other and reconverge behind it, under both models.
__device__ unsigned rounds(unsigned n) {
    unsigned sum = 0;
    while (n != 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        sum += 1;
    }
    return sum;
}

extern "C" __global__ void together(unsigned* out) {
    unsigned const i = threadIdx.x;
    out[i] = rounds(i % 4 + 1);
}

// The upper half of the warp loops until the lower half, which has left the loop already, stores a value. It ends only
// where the hardware lets lanes that wait to reconverge continue without the others.
extern "C" __global__ void hand_over(unsigned* out) {
    __shared__ volatile unsigned box;
    unsigned const i = threadIdx.x;
    box = 0;
    __syncwarp();
    while (i >= 16 && box == 0) {}
    if (i < 16) box = 7;
    out[i] = box;
}
