// Products of matrices as Hopper's libraries compute them: one warpgroup loads tiles by tensor copies, two multiply them.
// Of the matrices, rows of a and columns of b follow k. All sizes are multiples of the tiles.
#include "hopper.cuh"

#include <cuda_fp16.h>

namespace {

using hopper::Turn;

constexpr int depth = 64;  // of a stage: 128 bytes of f16
constexpr int rows = 128;  // of a tile: 64 for each of the two warpgroups that multiply
constexpr int blocks = 2;  // of a cluster: tiles below each other, which share b

template <int columns, int stages> struct Shared {
    half a[stages][rows][depth];
    half b[stages][columns][depth];
    half c[2][64][64];  // a piece of the result of each warpgroup on its way to memory
    std::uint64_t full[stages], empty[stages];
};

/// Tiles that this cluster computes: every so many.
struct Tiles {
    int next, count, across;

    __device__ Tiles(int m, int n, int columns)
        : next(blockIdx.x / blocks), count(m / (rows * blocks) * (n / columns)), across(n / columns) {}
    __device__ bool more() const { return next < count; }
    __device__ void take() { next += gridDim.x / blocks; }
    __device__ int row(std::uint32_t rank) const { return (next / across * blocks + static_cast<int>(rank)) * rows; }
    __device__ int column(int columns) const { return next % across * columns; }
};

template <int columns, int stages>
__device__ void load(Shared<columns, stages>& shared, TensorMap const& a, TensorMap const& b, Tiles tiles, int k) {
    constexpr int part = columns / blocks;  // of b that this CTA loads for all
    std::uint32_t const rank = hopper::cluster_rank();
    Turn turn;
    for (; tiles.more(); tiles.take()) {
        for (int first = 0; first < k; first += depth) {
            int const s = turn.stage;
            hopper::wait(shared.empty[s], turn.parity ^ 1);
            hopper::expect(shared.full[s], sizeof shared.a[s] + sizeof shared.b[s]);
            hopper::load_box(shared.a[s], a, first, tiles.row(rank), shared.full[s]);
            hopper::load_box(shared.b[s][part * rank], b, first, tiles.column(columns) + part * static_cast<int>(rank),
                             shared.full[s], (1 << blocks) - 1);
            turn.next<stages>();
        }
    }
}

/// 64 columns at a time by way of shared memory, where stmatrix leaves them as the map's swizzle wants them.
template <int columns, int stages>
__device__ void store(Shared<columns, stages>& shared, float const (&d)[columns / 2], TensorMap const& c, int group,
                      int row, int column) {
    int const warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    auto& piece = shared.c[group];
    for (int first = 0; first < columns; first += 64) {
        if (threadIdx.x % 128 == 0) hopper::await_stores_read();
        hopper::warpgroup_sync(1 + group);
#pragma unroll
        for (int j = 0; j < 4; ++j) {  // 16 rows and 16 columns: two accumulators of eight columns
            std::uint32_t r[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                half2 const two = __floats2half2_rn(d[(first + 16 * j) / 2 + 2 * i], d[(first + 16 * j) / 2 + 2 * i + 1]);
                r[i] = *reinterpret_cast<std::uint32_t const*>(&two);
            }
            int const y = 16 * warp + lane % 16, unit = 2 * j + lane / 16;
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                             hopper::shared(&piece[y][8 * (unit ^ y % 8)])),
                         "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                         : "memory");
        }
        hopper::fence_async();
        hopper::warpgroup_sync(1 + group);
        if (threadIdx.x % 128 == 0) hopper::store_box(c, piece, column + first, row);
    }
}

template <int columns, int stages>
__device__ void multiply(Shared<columns, stages>& shared, TensorMap const& c, Tiles tiles, int k, int group) {
    std::uint32_t const rank = hopper::cluster_rank();
    bool const speaks = threadIdx.x % 32 == 0;
    Turn turn, released;
    float d[columns / 2];
    for (; tiles.more(); tiles.take()) {
        for (int first = 0; first < k; first += depth) {
            int const s = turn.stage;
            hopper::wait(shared.full[s], turn.parity);
            hopper::fence();
#pragma unroll
            for (int step = 0; step < depth; step += 16) {
                hopper::multiply_f16(d, hopper::described(&shared.a[s][64 * group][step]),
                                     hopper::described(&shared.b[s][0][step]), first != 0 || step != 0);
            }
            hopper::commit();
            turn.next<stages>();
            if (first == 0) continue;
            // The products before those have ended: all CTAs may fill that stage again.
            hopper::await<1>();
            for (int to = 0; to < blocks && speaks; ++to) hopper::arrive_at(shared.empty[released.stage], to);
            released.next<stages>();
        }
        hopper::await<0>();
        for (int to = 0; to < blocks && speaks; ++to) hopper::arrive_at(shared.empty[released.stage], to);
        released.next<stages>();
        store(shared, d, c, group, tiles.row(rank) + 64 * group, tiles.column(columns));
    }
    if (threadIdx.x % 128 == 0) hopper::await_stores();
}

template <int columns, int stages>
__device__ void gemm(int m, int n, int k, TensorMap const& a, TensorMap const& b, TensorMap const& c) {
    extern __shared__ __align__(1024) unsigned char dynamic[];
    auto& shared = *reinterpret_cast<Shared<columns, stages>*>(dynamic);
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            hopper::init(shared.full[s], 1);
            hopper::init(shared.empty[s], blocks * 8);  // a thread of each warp that multiplies
        }
        hopper::fence_init();
    }
    hopper::cluster_sync();
    Tiles const tiles(m, n, columns);
    int const group = threadIdx.x / 128;
    if (group == 2) {
        hopper::leave_registers<40>();
        if (threadIdx.x % 128 == 0) load(shared, a, b, tiles, k);
    } else {
        hopper::take_registers<232>();
        multiply(shared, c, tiles, k, group);
    }
    hopper::cluster_sync();  // the others may still send into this CTA's memory
}

}  // namespace

/// c = a * b, rounded to f16. Tiles of 128 by 128.
extern "C" __global__ void __cluster_dims__(blocks, 1, 1) __launch_bounds__(384, 1)
    hopper_gemm(int m, int n, int k, __grid_constant__ TensorMap const a, __grid_constant__ TensorMap const b,
                __grid_constant__ TensorMap const c) {
    gemm<128, 6>(m, n, k, a, b, c);
}

/// The same with tiles of 128 by 256.
extern "C" __global__ void __cluster_dims__(blocks, 1, 1) __launch_bounds__(384, 1)
    hopper_wide_gemm(int m, int n, int k, __grid_constant__ TensorMap const a, __grid_constant__ TensorMap const b,
                     __grid_constant__ TensorMap const c) {
    gemm<256, 4>(m, n, k, a, b, c);
}
