// Attention without a matrix of all scores (flash attention), as on Ampere: tiles of keys and values come by cp.async while
// the ones before are multiplied by mma; maxima and sums of the rows are corrected from tile to tile.
#include "ampere.cuh"

#include <cuda_fp16.h>

#include <cstdint>

using namespace ampere;

namespace {

constexpr int width = 64;       // of a head
constexpr int keys = 64;        // of a tile
constexpr int warps = 4;        // with 16 queries each
constexpr int pieces = width / 8;  // of 16 bytes in a row

/// Pieces of a row change places, so that eight rows of a matrix lie in different banks.
__device__ int place(int row, int piece) { return 8 * (piece ^ row % pieces); }

__device__ void fetch(half (&to)[keys][width], half const* from) {
    for (int i = threadIdx.x; i < keys * pieces; i += blockDim.x) {
        int const row = i / pieces, piece = i % pieces;
        copy_16(&to[row][place(row, piece)], from + row * width + 8 * piece);
    }
}
__device__ std::uint32_t packed(float low, float high) {
    half2 const two = __floats2half2_rn(low, high);
    return *reinterpret_cast<std::uint32_t const*>(&two);
}
/// Over the four lanes that hold a row.
template <class F> __device__ float over_row(float x, F f) {
    x = f(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return f(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

/// Of a lane, for its two rows: what the softmax of the tiles so far needs.
struct Rows {
    float most[2] = {-INFINITY, -INFINITY}, sum[2] = {};
};

/// Turns scores into weights by the greatest score so far, and corrects the outputs for it. In `s` and `o` elements 2 and 3
/// belong to the second row. `scale` includes the factor from exponents of e to those of 2.
__device__ void weigh(float (&s)[keys / 8][4], float (&o)[width / 8][4], Rows& rows, float scale) {
    for (int r = 0; r < 2; ++r) {
        float most = rows.most[r];
        for (auto& two : s) most = fmaxf(most, fmaxf(two[2 * r], two[2 * r + 1]));
        most = over_row(most, [](float a, float b) { return fmaxf(a, b); });
        float const base = most == -INFINITY ? 0.f : most * scale;  // a row without any key so far
        float const correction = exp2f(rows.most[r] * scale - base);
        rows.most[r] = most;
        float sum = 0;
        for (auto& two : s) {
            for (int i = 2 * r; i < 2 * r + 2; ++i) sum += two[i] = exp2f(two[i] * scale - base);
        }
        rows.sum[r] = rows.sum[r] * correction + sum;
        for (auto& two : o) {
            two[2 * r] *= correction;
            two[2 * r + 1] *= correction;
        }
    }
}

}  // namespace

/// o = softmax(q * k^T * scale) * v for each head (blockIdx.y), in rows of 64 numbers; with `causal`, a query sees no later
/// keys. `length` is a multiple of 64; `scale` has the factor log2(e).
extern "C" __global__ void __launch_bounds__(32 * warps)
    attention(int length, int causal, float scale, half const* q, half const* k, half const* v, half* o) {
    __shared__ __align__(128) half of_k[2][keys][width], of_v[2][keys][width];
    int const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int const first = blockIdx.x * 16 * warps;
    q += (blockIdx.y * length + first) * width;
    k += blockIdx.y * length * width;
    v += blockIdx.y * length * width;
    // Queries come by the same way, and then stay in registers.
    fetch(of_k[0], q);
    commit_copies();
    wait_for_copies<0>();
    __syncthreads();
    std::uint32_t queries[width / 16][4];
    for (int step = 0; step < width / 16; ++step) {
        int const row = 16 * warp + lane % 16;
        load_four(queries[step], &of_k[0][row][place(row, 2 * step + lane / 16)]);
    }
    __syncthreads();
    int const tiles = causal ? blockIdx.x + 1 : length / keys;
    fetch(of_k[0], k);
    fetch(of_v[0], v);
    commit_copies();
    float out[width / 8][4] = {};
    Rows rows;
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) {
            fetch(of_k[(t + 1) % 2], k + (t + 1) * keys * width);
            fetch(of_v[(t + 1) % 2], v + (t + 1) * keys * width);
        }
        commit_copies();
        wait_for_copies<1>();
        __syncthreads();
        auto& now_k = of_k[t % 2];
        auto& now_v = of_v[t % 2];
        float s[keys / 8][4] = {};
        for (int step = 0; step < width / 16; ++step) {
            for (int j = 0; j < keys / 16; ++j) {  // of 16 keys, both halves of 16 numbers
                std::uint32_t b[4];
                int const row = 16 * j + lane % 8 + lane / 16 * 8;
                load_four(b, &now_k[row][place(row, 2 * step + lane / 8 % 2)]);
                multiply(s[2 * j], queries[step], b[0], b[1]);
                multiply(s[2 * j + 1], queries[step], b[2], b[3]);
            }
        }
        if (causal && t == tiles - 1) {
            for (int j = 0; j < keys / 8; ++j) {
                for (int i = 0; i < 4; ++i) {
                    int const key = 8 * j + 2 * (lane % 4) + i % 2, query = 16 * warp + lane / 4 + 8 * (i / 2);
                    if (key > query) s[j][i] = -INFINITY;
                }
            }
        }
        weigh(s, out, rows, scale);
        for (int step = 0; step < keys / 16; ++step) {
            std::uint32_t const weights[4] = {packed(s[2 * step][0], s[2 * step][1]), packed(s[2 * step][2], s[2 * step][3]),
                                              packed(s[2 * step + 1][0], s[2 * step + 1][1]),
                                              packed(s[2 * step + 1][2], s[2 * step + 1][3])};
            for (int j = 0; j < width / 16; ++j) {
                std::uint32_t b[4];
                int const row = 16 * step + lane % 16;
                load_four_transposed(b, &now_v[row][place(row, 2 * j + lane / 16)]);
                multiply(out[2 * j], weights, b[0], b[1]);
                multiply(out[2 * j + 1], weights, b[2], b[3]);
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 2; ++r) {
        float const sum = over_row(rows.sum[r], [](float a, float b) { return a + b; });
        half* const to = o + (blockIdx.y * length + first + 16 * warp + lane / 4 + 8 * r) * width + 2 * (lane % 4);
        for (int j = 0; j < width / 8; ++j)
            *reinterpret_cast<std::uint32_t*>(to + 8 * j) = packed(out[j][2 * r] / sum, out[j][2 * r + 1] / sum);
    }
}
