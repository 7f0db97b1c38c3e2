// Cooperative groups: tiles, coalesced groups, labelled partitions, the grid.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void tiles(int const* in, int* out) {
    auto const block = cg::this_thread_block();
    auto const tile = cg::tiled_partition<16>(block);
    int value = in[block.thread_rank()];
    for (int step = tile.size() / 2; step > 0; step /= 2) value += tile.shfl_down(value, step);
    if (tile.thread_rank() == 0) atomicAdd(out, value);
    out[1 + block.thread_rank()] = cg::reduce(tile, value, cg::plus<int>()) + tile.any(value > 3) + tile.ballot(value);
}
extern "C" __global__ void coalesced(int* counter, int const* in, int* out) {
    if (in[threadIdx.x] > 0) {
        auto const active = cg::coalesced_threads();
        int base = 0;
        if (active.thread_rank() == 0) base = atomicAdd(counter, static_cast<int>(active.size()));
        out[active.shfl(base, 0) + active.thread_rank()] = in[threadIdx.x];
    }
}
extern "C" __global__ void partitions(unsigned const* labels, int* out) {
    auto const warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto const same = cg::labeled_partition(warp, labels[threadIdx.x]);
    out[threadIdx.x] = cg::inclusive_scan(same, 1) + static_cast<int>(same.size());
}
extern "C" __global__ void whole_grid(float* data, int rounds) {
    auto const grid = cg::this_grid();
    for (int i = 0; i < rounds; ++i) {
        data[grid.thread_rank()] *= 0.5f;
        grid.sync();
    }
}
extern "C" __global__ void staged(float const* in, float* out) {
    __shared__ alignas(16) float stage[256];
    auto const block = cg::this_thread_block();
    cg::memcpy_async(block, stage, in + blockIdx.x * 256, sizeof stage);
    cg::wait(block);
    out[blockIdx.x * 256 + threadIdx.x] = stage[255 - threadIdx.x];
}
#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
extern "C" __global__ void __cluster_dims__(4, 1, 1) clusters(int* out) {
    __shared__ int mine;
    auto const cluster = cg::this_cluster();
    if (threadIdx.x == 0) mine = static_cast<int>(cluster.block_rank());
    cluster.sync();
    out[blockIdx.x] = *cluster.map_shared_rank(&mine, (cluster.block_rank() + 1) % cluster.num_blocks());
    cluster.sync();
}
#endif
