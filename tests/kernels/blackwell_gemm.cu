// Products of matrices as Blackwell's libraries compute them: a thread loads tiles by tensor copies, another has the matrix
// unit multiply them into tensor memory, four warps take the sums out. Of the matrices, rows of a and columns of b follow k.
// All sizes are multiples of the tiles.
#include "blackwell.cuh"

#include <cuda_fp16.h>

namespace {

using hopper::Turn;

constexpr int rows = 128;     // of a tile, in one CTA
constexpr int columns = 128;  // of a tile
constexpr int stages = 3;
constexpr int row_bytes = 128;             // of a stage
constexpr int loader = 4, multiplier = 5;  // warps

template <int ctas> struct Shared {
    unsigned char a[stages][rows][row_bytes];
    unsigned char b[stages][columns / ctas][row_bytes];
    unsigned char scales[stages][4][512];  // of a and b: two blocks of 32 rows of 16 bytes for each
    std::uint64_t full[stages], empty[stages], done;
    std::uint32_t sums;  // where they are in tensor memory
};

template <int ctas> __device__ void begin(Shared<ctas>& shared, int tensor_columns) {
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            hopper::init(shared.full[s], 1);
            hopper::init(shared.empty[s], 1);
        }
        hopper::init(shared.done, 1);
        hopper::fence_init();
    }
    if (threadIdx.x / 32 == multiplier) blackwell::allocate<ctas>(shared.sums, tensor_columns);
    blackwell::fence_before();
    if constexpr (ctas == 1) __syncthreads();
    else hopper::cluster_sync();
    blackwell::fence_after();
}

/// A lane of tensor memory is a row.
template <class T> __device__ void store(T* c, int n, std::uint32_t sums) {
    int const warp = threadIdx.x / 32;
    for (int column = 0; column < columns; column += 8) {
        float d[8];
        blackwell::load(sums + (static_cast<std::uint32_t>(32 * warp) << 16) + static_cast<std::uint32_t>(column),
                        d);
#pragma unroll
        for (int i = 0; i < 8; ++i) c[static_cast<long>(threadIdx.x) * n + column + i] = static_cast<T>(d[i]);
    }
}

template <int ctas> __device__ void end(Shared<ctas>& shared, int tensor_columns) {
    blackwell::fence_before();
    if constexpr (ctas == 1) __syncthreads();
    else hopper::cluster_sync();  // the peer's products used this CTA's memory
    if (threadIdx.x / 32 == multiplier) blackwell::deallocate<ctas>(shared.sums, tensor_columns);
}

/// c = a * b, rounded to f16, in tiles of 128 rows of each CTA by 128 columns.
template <int ctas> __device__ void gemm(int n, int k, TensorMap const& a, TensorMap const& b, half* c) {
    extern __shared__ __align__(1024) unsigned char dynamic[];
    auto& shared = *reinterpret_cast<Shared<ctas>*>(dynamic);
    int const rank = ctas == 1 ? 0 : static_cast<int>(hopper::cluster_rank()), warp = threadIdx.x / 32;
    int const row = static_cast<int>(blockIdx.x) * rows, column = static_cast<int>(blockIdx.y) * columns;
    constexpr int depth = row_bytes / 2;
    begin(shared, columns);
    if (warp == loader && threadIdx.x % 32 == 0) {
        Turn turn;
        for (int first = 0; first < k; first += depth, turn.next<stages>()) {
            int const s = turn.stage;
            hopper::wait(shared.empty[s], turn.parity ^ 1);
            if (rank == 0) hopper::expect(shared.full[s], ctas * (sizeof shared.a[s] + sizeof shared.b[s]));
            if constexpr (ctas == 1) {
                hopper::load_box(shared.a[s], a, first, row, shared.full[s]);
                hopper::load_box(shared.b[s], b, first, column, shared.full[s]);
            } else {
                blackwell::load_box_of_pair(shared.a[s], a, first, row, shared.full[s]);
                blackwell::load_box_of_pair(shared.b[s], b, first, column + rank * columns / ctas, shared.full[s]);
            }
        }
    } else if (warp == multiplier && threadIdx.x % 32 == 0 && rank == 0) {
        Turn turn;
        for (int first = 0; first < k; first += depth, turn.next<stages>()) {
            int const s = turn.stage;
            hopper::wait(shared.full[s], turn.parity);
            blackwell::fence_after();
            for (int step = 0; step < row_bytes; step += 32) {
                blackwell::multiply_f16<ctas>(shared.sums, blackwell::described(&shared.a[s][0][step]),
                                              blackwell::described(&shared.b[s][0][step]),
                                              blackwell::product_f16(ctas * rows, columns),
                                              first != 0 || step != 0);
            }
            blackwell::commit<ctas>(shared.empty[s]);
        }
        blackwell::commit<ctas>(shared.done);
    }
    __syncwarp();
    if (warp < 4) {
        hopper::wait(shared.done, 0);
        blackwell::fence_after();
        store(c + static_cast<long>(row) * n + column, n, shared.sums);
    }
    end(shared, columns);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(192, 1)
    blackwell_gemm(int n, int k, __grid_constant__ TensorMap const a, __grid_constant__ TensorMap const b,
                   half* c) {
    gemm<1>(n, k, a, b, c);
}

/// Pairs of CTAs multiply 256 rows, and each has half of b.
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(192, 1)
    blackwell_pair_gemm(int n, int k, __grid_constant__ TensorMap const a, __grid_constant__ TensorMap const b,
                        half* c) {
    gemm<2>(n, k, a, b, c);
}

/// c = a * b of e2m1 with a scale in ue8m0 for every 32 elements. For 128 rows and 128 elements of k the scales are a block of
/// 512 bytes: 32 rows of four bytes for each of four rows, 32 apart. Blocks follow k, then the rows.
extern "C" __global__ void __launch_bounds__(192, 1)
    blackwell_mxfp4_gemm(int n, int k, __grid_constant__ TensorMap const a, __grid_constant__ TensorMap const b,
                         unsigned char const* scales_of_a, unsigned char const* scales_of_b, float* c) {
    extern __shared__ __align__(1024) unsigned char dynamic[];
    auto& shared = *reinterpret_cast<Shared<1>*>(dynamic);
    int const warp = threadIdx.x / 32;
    int const row = static_cast<int>(blockIdx.x) * rows, column = static_cast<int>(blockIdx.y) * columns;
    constexpr int depth = 2 * row_bytes, tensor_columns = 256,
                  blocks = 2;  // elements of k, and blocks of scales, of a stage
    begin(shared, tensor_columns);
    if (warp == loader && threadIdx.x % 32 == 0) {
        Turn turn;
        for (int first = 0; first < k; first += depth, turn.next<stages>()) {
            int const s = turn.stage;
            hopper::wait(shared.empty[s], turn.parity ^ 1);
            hopper::expect(shared.full[s], sizeof shared.a[s] + sizeof shared.b[s] + sizeof shared.scales[s]);
            hopper::load_box(shared.a[s], a, first / 2, row, shared.full[s]);
            hopper::load_box(shared.b[s], b, first / 2, column, shared.full[s]);
            long const in_row = k / 128, at = first / 128;
            blackwell::load_bytes(shared.scales[s][0], scales_of_a + (blockIdx.x * in_row + at) * 512,
                                  512 * blocks, shared.full[s]);
            blackwell::load_bytes(shared.scales[s][2], scales_of_b + (blockIdx.y * in_row + at) * 512,
                                  512 * blocks, shared.full[s]);
        }
    } else if (warp == multiplier && threadIdx.x % 32 == 0) {
        Turn turn;
        std::uint32_t const scales = shared.sums + columns;  // four columns for each block
        for (int first = 0; first < k; first += depth, turn.next<stages>()) {
            int const s = turn.stage;
            hopper::wait(shared.full[s], turn.parity);
            blackwell::fence_after();
            for (int block = 0; block < 2 * blocks; ++block)
                blackwell::copy_scales(scales + 4 * block, blackwell::described(shared.scales[s][block], false));
            for (int step = 0; step < 4; ++step) {
                std::uint32_t const of_a = scales + 4 * (step / 2), of_b = of_a + 4 * blocks;
                blackwell::multiply_mxf4(shared.sums, blackwell::described(&shared.a[s][0][32 * step]),
                                         blackwell::described(&shared.b[s][0][32 * step]),
                                         blackwell::product_mxf4(rows, columns, step % 2 != 0), of_a, of_b,
                                         first != 0 || step != 0);
            }
            blackwell::commit<1>(shared.empty[s]);
        }
        blackwell::commit<1>(shared.done);
    }
    __syncwarp();
    if (warp < 4) {
        hopper::wait(shared.done, 0);
        blackwell::fence_after();
        store(c + static_cast<long>(row) * n + column, n, shared.sums);
    }
    end(shared, tensor_columns);
}
