// Kernels of the CUDA SDK's samples that compute along rows and columns: BlackScholes, scalarProd, transpose,
// fastWalshTransform and convolutionSeparable, as the SDK 4.2 has them.
#pragma once

__device__ float normal_below(float d) {
    float const k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float const series =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float const tail = 0.3989422804f * __expf(-0.5f * d * d) * series;
    return d > 0 ? 1.0f - tail : tail;
}

/// BlackScholes: prices of call and put options.
__global__ void black_scholes(float* calls, float* puts, float const* prices, float const* strikes,
                              float const* years, float rate, float volatility, int n) {
    int const threads = blockDim.x * gridDim.x;
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += threads) {
        float const s = prices[i], x = strikes[i], t = years[i];
        float const root = sqrtf(t);
        float const d1 =
            (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        float const d2 = d1 - volatility * root;
        float const n1 = normal_below(d1), n2 = normal_below(d2);
        float const discount = __expf(-rate * t);
        calls[i] = s * n1 - x * discount * n2;
        puts[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
    }
}

/// scalarProd: products of pairs of vectors. A block has 1024 sums, which it then adds up as a tree.
__global__ void scalar_products(float* products, float const* a, float const* b, int vectors, int n) {
    int const size = 1024;
    __shared__ float sums[size];
    for (int vector = blockIdx.x; vector < vectors; vector += gridDim.x) {
        int const begin = __mul24(n, vector), end = begin + n;
        for (int i = threadIdx.x; i < size; i += blockDim.x) {
            float sum = 0;
            for (int at = begin + i; at < end; at += size) sum += a[at] * b[at];
            sums[i] = sum;
        }
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            for (int i = threadIdx.x; i < stride; i += blockDim.x) sums[i] += sums[stride + i];
        }
        __syncthreads();
        if (threadIdx.x == 0) products[vector] = sums[0];
    }
}

/// transpose: eight ways to copy a matrix or to transpose it in tiles of 16 x 16, one thread for each element.
int const tile_size = 16;

__global__ void tile_copy(float* to, float const* from, int width, int height, int repeats) {
    int const x = blockIdx.x * tile_size + threadIdx.x, y = blockIdx.y * tile_size + threadIdx.y;
    int const at = x + width * y;
    for (int i = 0; i < repeats; ++i) to[at] = from[at];
}

__global__ void tile_copy_shared(float* to, float const* from, int width, int height, int repeats) {
    __shared__ float tile[tile_size][tile_size];
    int const x = blockIdx.x * tile_size + threadIdx.x, y = blockIdx.y * tile_size + threadIdx.y;
    int const at = x + width * y;
    for (int i = 0; i < repeats; ++i) {
        if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = from[at];
        __syncthreads();
        if (x < height && y < width) to[at] = tile[threadIdx.y][threadIdx.x];
    }
}

__global__ void tile_naive(float* to, float const* from, int width, int height, int repeats) {
    int const x = blockIdx.x * tile_size + threadIdx.x, y = blockIdx.y * tile_size + threadIdx.y;
    int const source = x + width * y, target = y + height * x;
    for (int i = 0; i < repeats; ++i) to[target] = from[source];
}

/// Through shared memory, in rows of 16 + `padding` elements: the tile of block (bx, by) goes to its place in the transposed
/// matrix if `moved`, and it is transposed itself if `exchanged`.
template <int padding, bool moved, bool exchanged>
__device__ void by_tile(float* to, float const* from, int width, int height, int repeats, int bx, int by) {
    __shared__ float tile[tile_size][tile_size + padding];
    int const source = bx * tile_size + threadIdx.x + (by * tile_size + threadIdx.y) * width;
    int const target =
        moved ? by * tile_size + threadIdx.x + (bx * tile_size + threadIdx.y) * height : source;
    for (int i = 0; i < repeats; ++i) {
        tile[threadIdx.y][threadIdx.x] = from[source];
        __syncthreads();
        to[target] = exchanged ? tile[threadIdx.x][threadIdx.y] : tile[threadIdx.y][threadIdx.x];
    }
}

template <int padding, bool moved, bool exchanged>
__global__ void tile_transpose(float* to, float const* from, int width, int height, int repeats) {
    by_tile<padding, moved, exchanged>(to, from, width, height, repeats, blockIdx.x, blockIdx.y);
}

/// Blocks next to each other have tiles on a diagonal.
__global__ void tile_diagonal(float* to, float const* from, int width, int height, int repeats) {
    int bx, by;
    if (width == height) {
        by = blockIdx.x;
        bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    } else {
        int const block = blockIdx.x + gridDim.x * blockIdx.y;
        by = block % gridDim.y;
        bx = (block / gridDim.y + by) % gridDim.x;
    }
    by_tile<1, true, true>(to, from, width, height, repeats, bx, by);
}

/// fastWalshTransform: four values that are `stride` apart, two steps of the transform at once.
__device__ void walsh_step(float* to, float const* from, int at, int stride) {
    int const low = at & (stride - 1);
    int const i = ((at - low) << 2) + low, j = i + stride, k = j + stride, l = k + stride;
    float const a = from[i], b = from[j], c = from[k], d = from[l];
    float const even = a + c, odd = a - c, even2 = b + d, odd2 = b - d;
    to[i] = even + even2;
    to[j] = even - even2;
    to[k] = odd + odd2;
    to[l] = odd - odd2;
}

/// All steps of an array that fits into shared memory.
__global__ void walsh_shared(float* to, float const* from, int log_n) {
    extern __shared__ float values[];
    int const n = 1 << log_n, first = blockIdx.x << log_n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = from[first + i];
    for (int stride = n >> 2; stride > 0; stride >>= 2) {
        __syncthreads();
        walsh_step(values, values, threadIdx.x, stride);
    }
    if (log_n & 1) {
        __syncthreads();
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            float const a = values[2 * i], b = values[2 * i + 1];
            values[2 * i] = a + b;
            values[2 * i + 1] = a - b;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) to[first + i] = values[i];
}

/// Two steps of arrays that do not.
__global__ void walsh_global(float* to, float const* from, int stride) {
    int const first = blockIdx.y * (blockDim.x * gridDim.x * 4);
    walsh_step(to + first, from + first, blockIdx.x * blockDim.x + threadIdx.x, stride);
}

__global__ void walsh_modulate(float* a, float const* b, int n) {
    int const threads = blockDim.x * gridDim.x;
    float const share = 1.0f / static_cast<float>(n);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) a[i] *= b[i] * share;
}

/// convolutionSeparable: along rows and along columns. Each thread has eight results, and shared memory has a halo of a block's
/// width at both ends.
int const filter_radius = 8, filter_results = 8;
__constant__ float filter_weights[2 * filter_radius + 1];

__global__ void filter_rows(float* to, float const* from, int width, int height, int pitch) {
    int const wide = 16, high = 4;
    __shared__ float cells[high][(filter_results + 2) * wide];
    int const x = (blockIdx.x * filter_results - 1) * wide + threadIdx.x, y = blockIdx.y * high + threadIdx.y;
    from += y * pitch + x;
    to += y * pitch + x;
    float* const row = cells[threadIdx.y] + threadIdx.x;
#pragma unroll
    for (int i = 1; i <= filter_results; ++i) row[i * wide] = from[i * wide];
    row[0] = x >= 0 ? from[0] : 0;
    int const last = filter_results + 1;
    row[last * wide] = width - x > last * wide ? from[last * wide] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 1; i <= filter_results; ++i) {
        float sum = 0;
#pragma unroll
        for (int j = -filter_radius; j <= filter_radius; ++j)
            sum += filter_weights[filter_radius - j] * row[i * wide + j];
        to[i * wide] = sum;
    }
}

__global__ void filter_columns(float* to, float const* from, int width, int height, int pitch) {
    int const wide = 16, high = 8;
    __shared__ float cells[wide][(filter_results + 2) * high + 1];
    int const x = blockIdx.x * wide + threadIdx.x, y = (blockIdx.y * filter_results - 1) * high + threadIdx.y;
    from += y * pitch + x;
    to += y * pitch + x;
    float* const column = cells[threadIdx.x] + threadIdx.y;
#pragma unroll
    for (int i = 1; i <= filter_results; ++i) column[i * high] = from[i * high * pitch];
    column[0] = y >= 0 ? from[0] : 0;
    int const last = filter_results + 1;
    column[last * high] = height - y > last * high ? from[last * high * pitch] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 1; i <= filter_results; ++i) {
        float sum = 0;
#pragma unroll
        for (int j = -filter_radius; j <= filter_radius; ++j)
            sum += filter_weights[filter_radius - j] * column[i * high + j];
        to[i * high * pitch] = sum;
    }
}
