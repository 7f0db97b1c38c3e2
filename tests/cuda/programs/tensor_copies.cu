// Tensor copies as libcu++ spells them, with maps that the driver encodes: a transposition through swizzled shared memory, a
// product of matrices whose tiles are multicast, sums by reducing stores, a convolution by columns of images.
// compile: -arch=compute_90a
// exec: --mode functional
// exec: --mode timing
// exec: --set functional.late_async=true --set sm.control_flow=stack
#include "check.hpp"

#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cstdint>
#include <vector>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

template <class F> F driver(char const* name) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
    CHECK(found == cudaDriverEntryPointSuccess && function != nullptr);
    return reinterpret_cast<F>(function);
}
auto const encode_tiled = [] { return driver<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled"); };

CUtensorMap matrix_map(CUtensorMapDataType type, std::size_t size, void* at, std::uint64_t columns, std::uint64_t rows,
                       std::uint32_t box_columns, std::uint32_t box_rows, CUtensorMapSwizzle swizzle) {
    CUtensorMap map;
    std::uint64_t const dims[] = {columns, rows}, strides[] = {columns * size};
    std::uint32_t const box[] = {box_columns, box_rows}, steps[] = {1, 1};
    CHECK(encode_tiled()(&map, type, 2, at, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

template <class T> T* upload(std::vector<T> const& values) {
    T* to = nullptr;
    OK(cudaMalloc(&to, values.size() * sizeof(T)));
    OK(cudaMemcpy(to, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}
template <class T> std::vector<T> download(T const* from, std::size_t count) {
    std::vector<T> values(count);
    OK(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

// 32 x 32 tiles of ints; edges are cut off by the maps.
__global__ void transpose(__grid_constant__ CUtensorMap const from, __grid_constant__ CUtensorMap const to) {
    __shared__ alignas(1024) int tile[32][32];
    __shared__ alignas(1024) int turned[32][32];
    __shared__ Barrier barrier;
    int const x = static_cast<int>(blockIdx.x) * 32, y = static_cast<int>(blockIdx.y) * 32;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_tensor_2d_global_to_shared(&tile, &from, x, y, barrier);
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
    } else {
        token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    for (unsigned i = threadIdx.x; i < 32 * 32; i += blockDim.x) {
        unsigned const row = i / 32, column = i % 32;
        // The swizzle of 128 bytes exchanges units of 16 by the row.
        int const value = tile[row][(column / 4 ^ row % 8) * 4 + column % 4];
        turned[column][row] = value;
    }
    cuda::device::experimental::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_tensor_2d_shared_to_global(&to, y, x, &turned);
        cuda::device::experimental::cp_async_bulk_commit_group();
        cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
    }
}

void check_transpose() {
    int const width = 100, height = 76;
    std::vector<int> in(width * height);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 7 + 1);
    int *from = upload(in), *to = upload(std::vector<int>(in.size(), -1));
    transpose<<<dim3(4, 3), 128>>>(
        matrix_map(CU_TENSOR_MAP_DATA_TYPE_INT32, 4, from, width, height, 32, 32, CU_TENSOR_MAP_SWIZZLE_128B),
        matrix_map(CU_TENSOR_MAP_DATA_TYPE_INT32, 4, to, height, width, 32, 32, CU_TENSOR_MAP_SWIZZLE_NONE));
    OK(cudaDeviceSynchronize());
    std::vector<int> const out = download(to, in.size());
    bool same = true;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) same = same && out[x * height + y] == in[y * width + x];
    CHECK(same);
}

// Two blocks of a cluster compute neighbouring tiles of a row: each loads half of the tile of a for both.
constexpr int tile_size = 32;
__global__ void __cluster_dims__(2, 1, 1)
    multiply(__grid_constant__ CUtensorMap const a, __grid_constant__ CUtensorMap const b, float* c, int n) {
    __shared__ alignas(128) float tile_a[tile_size][tile_size];
    __shared__ alignas(128) float tile_b[tile_size][tile_size];
    __shared__ alignas(8) std::uint64_t bar;
    int const rank = static_cast<int>(blockIdx.x % 2);
    int const row = static_cast<int>(blockIdx.y) * tile_size, column = static_cast<int>(blockIdx.x) * tile_size;
    unsigned const tx = threadIdx.x % tile_size, ty = threadIdx.x / tile_size;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    float sum = 0;
    for (int k = 0, phase = 0; k < n; k += tile_size, phase ^= 1) {
        // Nobody reads the tiles any more, and all mbarriers are ready.
        ptx::barrier_cluster_arrive();
        ptx::barrier_cluster_wait();
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                           sizeof tile_a + sizeof tile_b);
            std::int32_t const half_of_a[] = {k, row + rank * tile_size / 2}, all_of_b[] = {column, k};
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &tile_a[rank * tile_size / 2][0], &a,
                                      half_of_a, &bar, static_cast<std::uint16_t>(3));
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &tile_b, &b, all_of_b, &bar);
        }
        while (!ptx::mbarrier_try_wait_parity(&bar, static_cast<std::uint32_t>(phase))) {}
        for (int i = 0; i < tile_size; ++i) sum += tile_a[ty][i] * tile_b[i][tx];
        __syncthreads();
    }
    if (row + static_cast<int>(ty) < n && column + static_cast<int>(tx) < n)
        c[(row + static_cast<int>(ty)) * n + column + static_cast<int>(tx)] = sum;
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

void check_multiply() {
    int const n = 72;  // no multiple of a tile: the rest is zeros
    std::vector<float> a(n * n), b(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = static_cast<float>(i % 11 - 5);
        b[i] = static_cast<float>(i % 7 - 3);
    }
    float *da = upload(a), *db = upload(b), *dc = upload(std::vector<float>(n * n));
    multiply<<<dim3(4, 3), tile_size * tile_size>>>(
        matrix_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, da, n, n, tile_size, tile_size / 2, CU_TENSOR_MAP_SWIZZLE_NONE),
        matrix_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, db, n, n, tile_size, tile_size, CU_TENSOR_MAP_SWIZZLE_NONE), dc,
        n);
    OK(cudaDeviceSynchronize());
    std::vector<float> const c = download(dc, n * n);
    bool same = true;
    for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
            float sum = 0;
            for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
            same = same && c[y * n + x] == sum;
        }
    }
    CHECK(same);
}

// All blocks add their tile to the same place.
__global__ void add_up(__grid_constant__ CUtensorMap const to, int x, int y) {
    __shared__ alignas(128) float tile[8][16];
    for (unsigned i = threadIdx.x; i < 8 * 16; i += blockDim.x)
        tile[i / 16][i % 16] = static_cast<float>(i + blockIdx.x);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x != 0) return;
    std::int32_t const at[] = {x, y};
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &to, at, &tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
}

void check_sums() {
    int const width = 20, height = 12, x = -2, y = 6, blocks = 10;
    float* const sums = upload(std::vector<float>(width * height, 1));
    add_up<<<blocks, 64>>>(
        matrix_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, sums, width, height, 16, 8, CU_TENSOR_MAP_SWIZZLE_NONE), x, y);
    OK(cudaDeviceSynchronize());
    std::vector<float> const got = download(sums, width * height);
    bool same = true;
    for (int row = 0; row < height; ++row) {
        for (int column = 0; column < width; ++column) {
            int const i = column - x, j = row - y;
            bool const is_inside = i < 16 && j >= 0 && j < 8;
            int const want = 1 + (is_inside ? blocks * (j * 16 + i) + blocks * (blocks - 1) / 2 : 0);
            same = same && got[row * width + column] == static_cast<float>(want);
        }
    }
    CHECK(same);
}

// 3 x 3 filters over NHWC images with a border of one zero: a tap of the filter is a column of pixels.
constexpr int channels = 16, filters = 8, column_pixels = 64;
__global__ void convolve(__grid_constant__ CUtensorMap const images, int const* weights, int* out, int width, int height,
                         int total) {
    __shared__ alignas(128) int column[column_pixels][channels];
    __shared__ alignas(8) std::uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    int const first = static_cast<int>(blockIdx.x) * column_pixels;
    int const w = first % width - 1, h = first / width % height - 1, n = first / (width * height);
    int sums[filters] = {};
    for (int tap = 0; tap < 9; ++tap) {
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof column);
            asm volatile(
                "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                "%4, %5}], [%6], {%7, %8};" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&column))),
                "l"(&images), "r"(0), "r"(w), "r"(h), "r"(n), "r"(static_cast<unsigned>(__cvta_generic_to_shared(&bar))),
                "h"(static_cast<short>(tap % 3)), "h"(static_cast<short>(tap / 3))
                : "memory");
        }
        while (!ptx::mbarrier_try_wait_parity(&bar, static_cast<std::uint32_t>(tap & 1))) {}
        for (int f = 0; f < filters; ++f)
            for (int c = 0; c < channels; ++c)
                sums[f] += column[threadIdx.x][c] * weights[(tap * filters + f) * channels + c];
        __syncthreads();
    }
    int const pixel = first + static_cast<int>(threadIdx.x);
    for (int f = 0; f < filters && pixel < total; ++f) out[pixel * filters + f] = sums[f];
}

void check_convolution() {
    int const width = 13, height = 9, count = 3, total = width * height * count;
    std::vector<int> in(total * channels), weights(9 * filters * channels);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 37 % 101) - 50;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int>(i * 13 % 17) - 8;
    int *di = upload(in), *dw = upload(weights), *out = upload(std::vector<int>(total * filters));
    CUtensorMap map;
    std::uint64_t const dims[] = {channels, width, height, count},
                        strides[] = {channels * 4, channels * 4 * width, channels * 4 * width * height};
    std::uint32_t const steps[] = {1, 1, 1, 1};
    int const lower[] = {-1, -1}, upper[] = {-1, -1};
    auto const encode = driver<decltype(&cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
    auto const encoded = [&](void* at, int const* corner) {
        return encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, at, dims, strides, lower, corner, channels, column_pixels,
                      steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    int const none[] = {-15, -1};
    CHECK(encoded(di, none) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encoded(reinterpret_cast<char*>(di) + 4, upper) == CUDA_ERROR_INVALID_VALUE);
    CHECK(encoded(di + 4, upper) == CUDA_SUCCESS);
    auto const replace = driver<decltype(&cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress");
    CHECK(replace(&map, reinterpret_cast<char*>(di) + 4) == CUDA_ERROR_INVALID_VALUE);
    CHECK(replace(&map, di) == CUDA_SUCCESS);
    convolve<<<(total + column_pixels - 1) / column_pixels, column_pixels>>>(map, dw, out, width, height, total);
    OK(cudaDeviceSynchronize());
    std::vector<int> const got = download(out, total * filters);
    bool same = true;
    for (int p = 0; p < total; ++p) {
        int const w = p % width, h = p / width % height, n = p / (width * height);
        for (int f = 0; f < filters; ++f) {
            int sum = 0;
            for (int tap = 0; tap < 9; ++tap) {
                int const x = w - 1 + tap % 3, y = h - 1 + tap / 3;
                if (x < 0 || x >= width || y < 0 || y >= height) continue;
                for (int c = 0; c < channels; ++c)
                    sum += in[((n * height + y) * width + x) * channels + c] * weights[(tap * filters + f) * channels + c];
            }
            same = same && got[p * filters + f] == sum;
        }
    }
    CHECK(same);
}

int main() {
    check_transpose();
    check_multiply();
    check_sums();
    check_convolution();
    return result();
}
