// Kernels whose CTAs are alike, and kernels whose CTAs are not: in work, in what they wait for, in order.

__device__ unsigned mixed(unsigned x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/// Bandwidth of DRAM.
extern "C" __global__ void triad(float const* a, float const* b, float* c) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + 3.0f * b[i];
}

/// Arithmetic alone, the same for all.
extern "C" __global__ void polynomial(float* out, int terms) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 1e-3f * static_cast<float>(i & 1023), y = 0;
    for (int k = 0; k < terms; ++k) y = y * x + static_cast<float>(k);
    out[i] = y;
}

/// Each CTA has more to do than the one before, as where only half of a matrix is computed.
extern "C" __global__ void triangle(float const* a, float* out, int size) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    int const terms = blockIdx.x * 512 / gridDim.x;
    float sum = 0;
    for (int k = 0; k < terms; ++k) sum += a[(i + k * 32) % size];
    out[i] = sum;
}

/// The first half computes, the second half moves data.
extern "C" __global__ void two_phases(float const* a, float* out, int size) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    float y = 0;
    if (blockIdx.x < gridDim.x / 2) {
        #pragma unroll 1
        for (int k = 0; k < 200; ++k) y = y * 0.99f + static_cast<float>(k);
    } else {
        for (int k = 0; k < 8; ++k) y += a[(i + k * 65536) % size];
    }
    out[i] = y;
}

/// Rows of a sparse matrix, a warp each, of random lengths: most are short, a few long.
extern "C" __global__ void sparse_rows(float const* a, float* out, int size) {
    int const warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned const random = mixed(warp);
    int const length = 1 + (random % 64 == 0 ? 2000 : random % 200);
    float sum = 0;
    for (int k = lane; k < length; k += 32) sum += a[mixed(warp * 4096 + k) % size];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0) out[warp] = sum;
}

/// Random accesses to a table that L2 does not hold.
extern "C" __global__ void gather(float const* table, float* out, int size) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += table[mixed(i * 8 + k) % size];
    out[i] = sum;
}

/// The Mandelbrot set: CTAs of the middle take long.
extern "C" __global__ void mandelbrot(unsigned* out, int width, int height, int most) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float const cx = -2.0f + 3.0f * x / width, cy = -1.5f + 3.0f * y / height;
    float zx = 0, zy = 0;
    unsigned n = 0;
    for (; n < most && zx * zx + zy * zy < 4; ++n) {
        float const next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
    }
    out[y * width + x] = n;
}

/// Counts values in 256 cells of global memory.
extern "C" __global__ void histogram(unsigned* cells, int each) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; ++k) atomicAdd(&own[mixed(i * each + k) % 256], 1);
    __syncthreads();
    if (own[threadIdx.x] != 0) atomicAdd(&cells[threadIdx.x], own[threadIdx.x]);
}

/// A product of matrices in tiles of 32 by 32, one CTA of 256 threads each; all tiles of b stay in L2.
extern "C" __global__ void tiles(float const* a, float const* b, float* c, int n, int depth) {
    __shared__ float left[32][32], right[32][33];
    int const x = threadIdx.x % 32, y = threadIdx.x / 32;
    int const row = blockIdx.y * 32, column = blockIdx.x * 32;
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < depth; k += 32) {
        for (int i = 0; i < 4; ++i) {
            left[y + 8 * i][x] = a[(row + y + 8 * i) * depth + k + x];
            right[y + 8 * i][x] = b[(k + y + 8 * i) * n + column + x];
        }
        __syncthreads();
        for (int t = 0; t < 32; ++t)
            for (int i = 0; i < 4; ++i) sum[i] += left[y + 8 * i][t] * right[t][x];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) c[(row + y + 8 * i) * n + column + x] = sum[i];
}

/// Sums up to each CTA, each of which waits for the one before it, in the order in which they begin.
extern "C" __global__ void chained_scan(unsigned* next, unsigned volatile* ready, unsigned volatile* sums, unsigned const* in,
                                        unsigned* out) {
    __shared__ unsigned place, before;
    __shared__ unsigned values[256];
    if (threadIdx.x == 0) place = atomicAdd(next, 1);
    __syncthreads();
    unsigned const own = in[place * 256 + threadIdx.x];
    values[threadIdx.x] = own;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        unsigned const other = threadIdx.x >= step ? values[threadIdx.x - step] : 0;
        __syncthreads();
        values[threadIdx.x] += other;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        if (place != 0)
            while (ready[place - 1] == 0) {}
        __threadfence();
        before = place == 0 ? 0 : sums[place - 1];
        sums[place] = before + values[255];
        __threadfence();
        ready[place] = 1;
    }
    __syncthreads();
    out[place * 256 + threadIdx.x] = before + values[threadIdx.x];
}

/// The first CTA ends when the last one says so.
extern "C" __global__ void waits_for_last(unsigned volatile* flag, unsigned* out) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i;
    for (int k = 0; k < 100; ++k) x = mixed(x);
    if (blockIdx.x == gridDim.x - 1) {
        __threadfence();
        *flag = 1;
    }
    if (blockIdx.x == 0)
        while (*flag == 0) {}
    out[i] = x;
}

/// One step of a solver that is launched again and again: a stencil from one array to the other.
extern "C" __global__ void relax(float const* from, float* to, int width) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x + width;
    to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
}
