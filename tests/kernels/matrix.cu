// Products of matrices by tensor cores: tiles by wmma; ldmatrix and mma behind several stages of cp.async; a sparse a.
// All sizes are multiples of the tiles.
#include "ampere.cuh"

#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>

using namespace nvcuda;
using namespace ampere;

namespace {

constexpr int tile = 64;  // rows and columns of a block of four warps, each of which has 32 by 32

}  // namespace

/// c = a * b + c; a and b by rows.
extern "C" __global__ void __launch_bounds__(128) wmma_gemm(int n, int k, half const* a, half const* b, float* c) {
    constexpr int depth = 32, pad = 8;
    __shared__ __align__(32) half of_a[tile][depth + pad];
    __shared__ __align__(32) half of_b[depth][tile + pad];
    int const row = blockIdx.y * tile, column = blockIdx.x * tile;
    int const warp = threadIdx.x / 32, warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            wmma::load_matrix_sync(sums[i][j], c + (row + warp_row + 16 * i) * n + column + warp_column + 16 * j, n,
                                   wmma::mem_row_major);
        }
    }
    for (int first = 0; first < k; first += depth) {
        for (int i = threadIdx.x; i < tile * depth / 2; i += blockDim.x) {
            int const r = 2 * i / depth, at = 2 * i % depth;
            *reinterpret_cast<half2*>(&of_a[r][at]) =
                *reinterpret_cast<half2 const*>(a + (row + r) * k + first + at);
        }
        for (int i = threadIdx.x; i < depth * tile / 2; i += blockDim.x) {
            int const r = 2 * i / tile, at = 2 * i % tile;
            *reinterpret_cast<half2*>(&of_b[r][at]) =
                *reinterpret_cast<half2 const*>(b + (first + r) * n + column + at);
        }
        __syncthreads();
        for (int step = 0; step < depth; step += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y[2];
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(x[i], &of_a[warp_row + 16 * i][step], depth + pad);
                wmma::load_matrix_sync(y[i], &of_b[step][warp_column + 16 * i], tile + pad);
            }
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], x[i], y[j], sums[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            wmma::store_matrix_sync(c + (row + warp_row + 16 * i) * n + column + warp_column + 16 * j, sums[i][j], n,
                                    wmma::mem_row_major);
        }
    }
}

namespace {

/// Pieces of 16 bytes of a row change places, so that eight rows of a matrix lie in different banks.
template <int pieces> __device__ int place(int row, int piece) {
    return piece ^ (pieces < 8 ? (row & 7) * pieces / 8 : row & 7);
}

/// Square tiles of a block of four warps, each of which has a quarter.
template <int tile, int depth> struct Stage {
    half a[tile][depth];
    half b[depth][tile];
};

template <int tile, int depth>
__device__ void fetch(Stage<tile, depth>& stage, int n, int k, half const* a, half const* b) {
    constexpr int threads = 128, pieces = tile * depth / 8;
#pragma unroll
    for (int first = 0; first < pieces; first += threads) {
        int const i = first + threadIdx.x, row = i / (depth / 8), piece = i % (depth / 8);
        copy_16(&stage.a[row][8 * place<depth / 8>(row, piece)], a + row * k + 8 * piece);
    }
#pragma unroll
    for (int first = 0; first < pieces; first += threads) {
        int const i = first + threadIdx.x, row = i / (tile / 8), piece = i % (tile / 8);
        copy_16(&stage.b[row][8 * place<tile / 8>(row, piece)], b + row * n + 8 * piece);
    }
}

template <int tile, int depth, int stages>
__device__ void multiply_tile(int n, int k, half const* a, half const* b, float* c) {
    constexpr int part = tile / 2;
    extern __shared__ __align__(128) unsigned char shared[];
    auto* const stage = reinterpret_cast<Stage<tile, depth>*>(shared);
    int const row = blockIdx.y * tile, column = blockIdx.x * tile;
    int const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int const warp_row = warp / 2 * part, warp_column = warp % 2 * part;
    a += row * k;
    b += column;
    float sums[part / 16][part / 8][4] = {};
    int const steps = k / depth;
    for (int s = 0; s < stages - 1; ++s) {
        if (s < steps) fetch(stage[s], n, k, a + s * depth, b + s * depth * n);
        commit_copies();
    }
    for (int s = 0; s < steps; ++s) {
        wait_for_copies<stages - 2>();
        __syncthreads();
        int const next = s + stages - 1;
        if (next < steps) fetch(stage[next % stages], n, k, a + next * depth, b + next * depth * n);
        commit_copies();
        auto const& now = stage[s % stages];
        for (int step = 0; step < depth; step += 16) {
            std::uint32_t x[part / 16][4], y[part / 16][4];
            for (int i = 0; i < part / 16; ++i) {
                int const r = warp_row + 16 * i + lane % 16, piece = step / 8 + lane / 16;
                load_four(x[i], &now.a[r][8 * place<depth / 8>(r, piece)]);
                int const r_of_b = step + lane % 16, piece_of_b = (warp_column + 16 * i) / 8 + lane / 16;
                load_four_transposed(y[i], &now.b[r_of_b][8 * place<tile / 8>(r_of_b, piece_of_b)]);
            }
            for (int i = 0; i < part / 16; ++i) {
                for (int j = 0; j < part / 8; ++j) multiply(sums[i][j], x[i], y[j / 2][2 * (j % 2)], y[j / 2][2 * (j % 2) + 1]);
            }
        }
    }
    for (int i = 0; i < part / 16; ++i) {
        for (int j = 0; j < part / 8; ++j) {
            float* const to = c + (row + warp_row + 16 * i + lane / 4) * n + column + warp_column + 8 * j + 2 * (lane % 4);
            *reinterpret_cast<float2*>(to) = {sums[i][j][0], sums[i][j][1]};
            *reinterpret_cast<float2*>(to + 8 * n) = {sums[i][j][2], sums[i][j][3]};
        }
    }
}

}  // namespace

/// c = a * b; a and b by rows. Tiles of 64 by 64, with 48 KiB of shared memory.
extern "C" __global__ void __launch_bounds__(128) mma_gemm(int n, int k, half const* a, half const* b, float* c) {
    multiply_tile<64, 64, 3>(n, k, a, b, c);
}

/// The same in tiles of 128 by 128, with 64 KiB.
extern "C" __global__ void __launch_bounds__(128) mma_wide_gemm(int n, int k, half const* a, half const* b, float* c) {
    multiply_tile<128, 32, 4>(n, k, a, b, c);
}

/// c = a * b, a warp for 16 by 8 elements; of a, two of four neighbours are there, and `metadata` has 16 words for each 16
/// rows and 32 columns: of the first and second 16 columns, rows g and g + 8 in the halves of words 2 g and 2 g + 1. a is by
/// rows, b by columns.
extern "C" __global__ void sparse_gemm(int n, int k, half const* a, std::uint32_t const* metadata, half const* b, float* c) {
    int const lane = threadIdx.x % 32, group = lane / 4, quarter = lane % 4;
    int const row = blockIdx.y * 16 + group, column = (blockIdx.x * blockDim.x / 32 + threadIdx.x / 32) * 8;
    float d[4] = {};
    auto const word = [](half const* at) { return *reinterpret_cast<std::uint32_t const*>(at); };
    for (int first = 0; first < k; first += 32) {
        half const* const x = a + row * (k / 2) + first / 2 + 2 * quarter;
        half const* const y = b + (column + group) * k + first + 2 * quarter;
        std::uint32_t const e = metadata[(blockIdx.y * (k / 32) + first / 32) * 16 + 2 * group + quarter % 2];
        asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0x0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(word(x)), "r"(word(x + 4 * k)), "r"(word(x + 8)), "r"(word(x + 4 * k + 8)), "r"(word(y)),
                       "r"(word(y + 8)), "r"(word(y + 16)), "r"(word(y + 24)), "r"(e));
    }
    float* const to = c + row * n + column + 2 * quarter;
    *reinterpret_cast<float2*>(to) = {d[0], d[1]};
    *reinterpret_cast<float2*>(to + 8 * n) = {d[2], d[3]};
}
