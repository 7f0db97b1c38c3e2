// Transposes one 32x32 tile through shared memory. Shared memory has 32 banks of 4 bytes: words whose index differs by
// a multiple of 32 lie in the same bank, and one access serves one word of a bank.
template <int pitch>
__device__ void transpose_tile(float const* in, float* out) {
    __shared__ float tile[32 * pitch];
    for (int row = threadIdx.y; row < 32; row += blockDim.y) {
        tile[row * pitch + threadIdx.x] = in[row * 32 + threadIdx.x];
    }
    __syncthreads();
    for (int row = threadIdx.y; row < 32; row += blockDim.y) {
        out[row * 32 + threadIdx.x] = tile[threadIdx.x * pitch + row];   // down a column of the tile
    }
}

// Rows of 32 words: a column lies in one bank, and the 32 lanes wait for one another.
extern "C" __global__ void conflicts(float const* in, float* out) {
    transpose_tile<32>(in, out);
}

// One word of padding a row: a column walks through all banks.
extern "C" __global__ void padded(float const* in, float* out) {
    transpose_tile<33>(in, out);
}
