// Both kernels copy n elements, and each element is read and written once. Memory moves in sectors of 32 bytes; what
// counts is how many of them one warp touches with one instruction.

// Lane k takes element k of the warp's 32: 128 bytes, 4 sectors.
extern "C" __global__ void neighbours(int n, float const* in, float* out) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i];
    }
}

// The matrix of n / 32 rows of 32 read by columns: lane k takes the same column of row k, 128 bytes from its neighbour.
// 32 lanes touch 32 sectors, and 4 bytes of each are used.
extern "C" __global__ void columns(int n, float const* in, float* out) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    int const rows = n / 32;
    if (i < n) {
        int const row = i % rows;
        int const column = i / rows;
        out[row * 32 + column] = in[row * 32 + column];
    }
}
