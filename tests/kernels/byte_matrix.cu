// Products of matrices of bytes by tensor cores: ldmatrix and mma behind stages of cp.async, with integers and with floats
// of 8 bits. All sizes are multiples of the tiles.
#include "ampere.cuh"

#include <cstdint>

using namespace ampere;

namespace {

constexpr int tile = 64, depth = 64;  // a block of four warps, each of which has a quarter
constexpr int stages = 3;
constexpr int part = tile / 2;

__device__ void multiply(int (&d)[4], std::uint32_t const (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ void multiply(float (&d)[4], std::uint32_t const (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

struct Stage {
    std::uint8_t a[tile][depth];  // rows of a
    std::uint8_t b[tile][depth];  // columns of b
};

/// Pieces of 16 bytes of a row change places, so that eight rows lie in different banks.
__device__ int place(int row, int piece) { return piece ^ (row / 2 & 3); }

__device__ void fetch(Stage& stage, int k, std::uint8_t const* a, std::uint8_t const* b) {
    constexpr int threads = 128, pieces = tile * depth / 16;
#pragma unroll
    for (int first = 0; first < pieces; first += threads) {
        int const i = first + threadIdx.x, row = i / (depth / 16), piece = i % (depth / 16);
        copy_16(&stage.a[row][16 * place(row, piece)], a + row * k + 16 * piece);
        copy_16(&stage.b[row][16 * place(row, piece)], b + row * k + 16 * piece);
    }
}

template <class Sum> __device__ void multiply_tile(int n, int k, std::uint8_t const* a, std::uint8_t const* b, Sum* c) {
    __shared__ __align__(128) Stage stage[stages];
    int const row = blockIdx.y * tile, column = blockIdx.x * tile;
    int const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int const warp_row = warp / 2 * part, warp_column = warp % 2 * part;
    a += row * k;
    b += column * k;
    Sum sums[part / 16][part / 8][4] = {};
    int const steps = k / depth;
    for (int s = 0; s < stages - 1; ++s) {
        if (s < steps) fetch(stage[s], k, a + s * depth, b + s * depth);
        commit_copies();
    }
    for (int s = 0; s < steps; ++s) {
        wait_for_copies<stages - 2>();
        __syncthreads();
        int const next = s + stages - 1;
        if (next < steps) fetch(stage[next % stages], k, a + next * depth, b + next * depth);
        commit_copies();
        Stage const& now = stage[s % stages];
        for (int step = 0; step < depth; step += 32) {
            std::uint32_t x[part / 16][4], y[part / 16][4];
            for (int i = 0; i < part / 16; ++i) {
                int const r = warp_row + 16 * i + lane % 16, piece = step / 16 + lane / 16;
                load_four(x[i], &now.a[r][16 * place(r, piece)]);
                int const column_of_b = warp_column + 16 * i + lane % 16;
                load_four(y[i], &now.b[column_of_b][16 * place(column_of_b, piece)]);
            }
            for (int i = 0; i < part / 16; ++i) {
                for (int j = 0; j < part / 8; ++j) multiply(sums[i][j], x[i], y[j / 2][j % 2], y[j / 2][j % 2 + 2]);
            }
        }
    }
    for (int i = 0; i < part / 16; ++i) {
        for (int j = 0; j < part / 8; ++j) {
            Sum* const to = c + (row + warp_row + 16 * i + lane / 4) * n + column + warp_column + 8 * j + 2 * (lane % 4);
            to[0] = sums[i][j][0];
            to[1] = sums[i][j][1];
            to[8 * n] = sums[i][j][2];
            to[8 * n + 1] = sums[i][j][3];
        }
    }
}

}  // namespace

/// c = a * b, a by rows and b by columns.
extern "C" __global__ void __launch_bounds__(128) s8_gemm(int n, int k, std::uint8_t const* a, std::uint8_t const* b, int* c) {
    multiply_tile(n, k, a, b, c);
}
extern "C" __global__ void __launch_bounds__(128)
    e4m3_gemm(int n, int k, std::uint8_t const* a, std::uint8_t const* b, float* c) {
    multiply_tile(n, k, a, b, c);
}
