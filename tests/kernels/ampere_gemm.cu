// A product of matrices as tuned kernels for A100 compute it: copies that run several stages ahead, and operands of the next
// step that are loaded out of shared memory while those of this one are multiplied. All sizes are multiples of the tiles.
#include "ampere.cuh"

#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

using ampere::commit_copies;
using ampere::multiply;
using ampere::shared_address;
using ampere::wait_for_copies;

namespace {

// The same with addresses in shared memory, which are computed once.

__device__ void copy_16(std::uint32_t to, void const* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}
__device__ void load_four(std::uint32_t (&r)[4], std::uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
}
__device__ void load_four_transposed(std::uint32_t (&r)[4], std::uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
}
/// The compiler keeps the number in a register instead of computing it again where it is needed.
__device__ void keep(std::uint32_t& number) { asm volatile("" : "+r"(number)); }

/// Pieces of 16 bytes of a row change places, so that eight rows of a matrix lie in different banks.
template <int pieces> __device__ int place(int row, int piece) {
    return piece ^ (pieces < 8 ? (row & 7) * pieces / 8 : row & 7);
}

/// What a thread copies of a part of a matrix by rows: 16 bytes of every so many rows.
template <int rows, int columns> struct Copies {
    static constexpr int pieces = columns / 8, apart = 128 / pieces, count = rows / apart;
    static_assert(apart % 8 == 0);  // the piece has the same place in all of them
    half const* from;
    std::ptrdiff_t step;
    std::uint32_t to;  // in the stage

    __device__ Copies(half const* matrix, int length)
        : from(matrix + threadIdx.x / pieces * length + 8 * (threadIdx.x % pieces)), step(apart * length) {
        int const row = threadIdx.x / pieces;
        to = 2 * (row * columns + 8 * place<pieces>(row, threadIdx.x % pieces));
        keep(to);
    }
    __device__ void copy(int i, std::uint32_t part) const { copy_16(part + to + 2 * i * apart * columns, from + i * step); }
};

/// What a warp multiplies in a step of 16 of k: its rows of a and its columns of b.
template <int part> struct Operands {
    std::uint32_t a[part / 16][4], b[part / 16][4];
};

/// Where a lane finds its rows of the operands in a stage.
template <int tile, int depth, int part> struct Places {
    std::uint32_t of_a[depth / 16], of_b[part / 16];

    __device__ Places(int row, int column) {
        int const lane = threadIdx.x % 32;
        for (int s = 0; s < depth / 16; ++s) {
            int const r = row + lane % 16;
            of_a[s] = 2 * (r * depth + 8 * place<depth / 8>(r, 2 * s + lane / 16));
            keep(of_a[s]);
        }
        for (int i = 0; i < part / 16; ++i) {
            int const r = lane % 16;
            of_b[i] = 2 * (tile * depth + r * tile + 8 * place<tile / 8>(r, column / 8 + 2 * i + lane / 16));
            keep(of_b[i]);
        }
    }
    __device__ void load(int i, Operands<part>& to, std::uint32_t stage, int step) const {
        load_four(to.a[i], stage + of_a[step] + 2 * 16 * depth * i);
        load_four_transposed(to.b[i], stage + of_b[i] + 2 * 16 * tile * step);
    }
};

/// Square tiles of a block of four warps, each of which has a quarter; a stage in shared memory has a part of a and one of b.
template <int tile, int depth, int stages>
__device__ void multiply_tile(int n, int k, half const* a, half const* b, float* c) {
    constexpr int part = tile / 2, groups = part / 16, stage_bytes = 4 * tile * depth;
    extern __shared__ __align__(128) unsigned char shared[];
    int const row = blockIdx.y * tile, column = blockIdx.x * tile;
    int const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int const warp_row = warp / 2 * part, warp_column = warp % 2 * part;
    Copies<tile, depth> of_a(a + row * k, k);
    Copies<depth, tile> of_b(b + column, n);
    std::uint32_t const first = shared_address(shared), end = first + stages * stage_bytes;
    auto const next = [&](std::uint32_t& stage) { stage = stage + stage_bytes == end ? first : stage + stage_bytes; };
    std::uint32_t filled = first, read = first;
    // The copies are spread among the products of a step.
    auto const fetch = [&](int i) {
#pragma unroll
        for (int j = i; j < of_a.count; j += groups) of_a.copy(j, filled);
#pragma unroll
        for (int j = i; j < of_b.count; j += groups) of_b.copy(j, filled + 2 * tile * depth);
    };
    auto const fetched = [&] {
        commit_copies();
        of_a.from += depth;
        of_b.from += static_cast<std::ptrdiff_t>(depth) * n;
        next(filled);
    };
    float sums[part / 16][part / 8][4] = {};
    int const steps = k / depth;
    for (int s = 0; s < stages - 1; ++s) {
#pragma unroll
        for (int i = 0; i < groups; ++i) {
            if (s < steps) fetch(i);
        }
        fetched();
    }
    // While operands are multiplied, those of the next step are loaded, also across stages.
    Places<tile, depth, part> const places(warp_row, warp_column);
    Operands<part> operands[2];
    wait_for_copies<stages - 2>();
    __syncthreads();
#pragma unroll
    for (int i = 0; i < groups; ++i) places.load(i, operands[0], read, 0);
    for (int s = 0; s < steps; ++s) {
        bool const fetches = s + stages - 1 < steps;
#pragma unroll
        for (int step = 0; step < depth / 16; ++step) {
            bool const is_last = step + 1 == depth / 16;
            if (is_last) {
                wait_for_copies<stages - 2>();
                __syncthreads();
                if (s + 1 < steps) next(read);
            }
            auto const& now = operands[step % 2];
#pragma unroll
            for (int i = 0; i < groups; ++i) {
                places.load(i, operands[1 - step % 2], read, is_last ? 0 : step + 1);
                if (step == 0 && fetches) fetch(i);
#pragma unroll
                for (int j = 0; j < part / 8; ++j)
                    multiply(sums[i][j], now.a[i], now.b[j / 2][2 * (j % 2)], now.b[j / 2][2 * (j % 2) + 1]);
            }
            if (step == 0) fetched();
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

/// c = a * b; a and b by rows. Tiles of 128 by 128, of which each warp has 64 by 64, with 64 KiB of shared memory.
extern "C" __global__ void __launch_bounds__(128) ampere_gemm(int n, int k, half const* a, half const* b, float* c) {
    multiply_tile<128, 32, 4>(n, k, a, b, c);
}
