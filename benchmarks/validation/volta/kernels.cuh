// Kernels of the programs that the folders above do not have, as the descriptions of these say.
#pragma once

__global__ void vector_add(float const* a, float const* b, float* c, int n) {
    int const i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

/// The sums of five arrays, read and written 16 bytes at a time: as much as memory gives.
__global__ void streams(float4 const* a, float4 const* b, float4 const* d, float4 const* e, float4 const* f,
                        float4* c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float4 const v = a[i], w = b[i], x = d[i], y = e[i], z = f[i];
        c[i] = make_float4(v.x + w.x + x.x + y.x + z.x, v.y + w.y + x.y + y.y + z.y, v.z + w.z + x.z + y.z + z.z,
                           v.w + w.w + x.w + y.w + z.w);
    }
}

/// PolyBench 2mm and 3mm: a product of square matrices, summed up in memory.
template <int n> __global__ void product(float const* a, float const* b, float* c) {
    int const j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        for (int k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/// Parboil sgemm: C = alpha A B' + beta C, column by column; blocks of 16 x 8 threads have 128 x 16 elements, 16 of them for
/// each thread in registers, and 8 x 16 of B in shared memory.
__global__ void sgemm(float const* a, int lda, float const* b, int ldb, float* c, int ldc, int k, float alpha,
                      float beta) {
    int const width = 16, height = 8;
    int const thread = threadIdx.y * width + threadIdx.x;
    int const m = blockIdx.x * width * height + thread;
    int const n = blockIdx.y * width + threadIdx.x;
    __shared__ float part[height][width];
    float sums[width];
    for (int i = 0; i < width; ++i) sums[i] = 0;
    for (int i = 0; i < k; i += height) {
        part[threadIdx.y][threadIdx.x] = b[n + (i + threadIdx.y) * ldb];
        __syncthreads();
        for (int j = 0; j < height; ++j) {
            float const x = a[m + (i + j) * lda];
            for (int l = 0; l < width; ++l) sums[l] += x * part[j][l];
        }
        __syncthreads();
    }
    int const first = blockIdx.y * width * ldc + m;
    for (int i = 0; i < width; ++i) c[first + i * ldc] = c[first + i * ldc] * beta + alpha * sums[i];
}

/// Rodinia lud: the blocks to the right of and below the diagonal one at (o, o); half of the threads have a row of blocks each,
/// half a column.
__global__ void lud_perimeter(float* m, int n, int o) {
    int const size = 16, half = size / 2;
    __shared__ float diagonal[size][size], row[size][size], column[size][size];
    int const x = threadIdx.x, away = (blockIdx.x + 1) * size;
    if (x < size) {
        for (int i = 0; i < half; ++i) diagonal[i][x] = m[(o + i) * n + o + x];
        for (int i = 0; i < size; ++i) row[i][x] = m[(o + i) * n + o + away + x];
    } else {
        for (int i = half; i < size; ++i) diagonal[i][x - size] = m[(o + i) * n + o + x - size];
        for (int i = 0; i < size; ++i) column[i][x - size] = m[(o + away + i) * n + o + x - size];
    }
    __syncthreads();
    if (x < size) {
        for (int i = 1; i < size; ++i)
            for (int j = 0; j < i; ++j) row[i][x] -= diagonal[i][j] * row[j][x];
    } else {
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < i; ++j) column[x - size][i] -= column[x - size][j] * diagonal[j][i];
            column[x - size][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (x < size) {
        for (int i = 1; i < size; ++i) m[(o + i) * n + o + away + x] = row[i][x];
    } else {
        for (int i = 0; i < size; ++i) m[(o + away + i) * n + o + x - size] = column[i][x - size];
    }
}

/// Rodinia nw: a diagonal of blocks of 16 x 16 cells, as `needle` of ../hopper has them for the upper left half; `lower` for the
/// other.
__global__ void needle_lower(int const* reference, int* cost, int columns, int penalty, int i, int blocks) {
    int const size = 16;
    int const bx = blockIdx.x, tx = threadIdx.x;
    int const block_x = bx + blocks - i, block_y = blocks - bx - 1;
    int const base = columns * size * block_y + size * block_x;
    int const inner = base + tx + columns + 1, west = base + columns, north_west = base, north = base + tx + 1;
    __shared__ int cells[size + 1][size + 1];
    __shared__ int scores[size][size];
    for (int k = 0; k < size; ++k) scores[k][tx] = reference[inner + columns * k];
    __syncthreads();
    if (tx == 0) cells[tx][0] = cost[north_west];
    cells[tx + 1][0] = cost[west + columns * tx];
    __syncthreads();
    cells[0][tx + 1] = cost[north];
    __syncthreads();
    auto const step = [&](int x, int y) {
        int const diagonal = cells[y - 1][x - 1] + scores[y - 1][x - 1];
        cells[y][x] = max(diagonal, max(cells[y][x - 1] - penalty, cells[y - 1][x] - penalty));
    };
    for (int m = 0; m < size; ++m) {
        if (tx <= m) step(tx + 1, m - tx + 1);
        __syncthreads();
    }
    for (int m = size - 2; m >= 0; --m) {
        if (tx <= m) step(tx + size - m, size - tx);
        __syncthreads();
    }
    for (int k = 0; k < size; ++k) cost[inner + k * columns] = cells[k + 1][tx + 1];
}
