// Cooperative groups: reductions over tiles of every size, coalesced and labelled groups, blocks, a grid.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <vector>

namespace cg = cooperative_groups;

template <int size>
__global__ void reduce_tiles(int const* in, int* sums, int* most, int* scanned) {
    auto const tile = cg::tiled_partition<size>(cg::this_thread_block());
    int const i = static_cast<int>(cg::this_grid().thread_rank());
    int const sum = cg::reduce(tile, in[i], cg::plus<int>());
    int const largest = cg::reduce(tile, in[i], cg::greater<int>());
    scanned[i] = cg::inclusive_scan(tile, in[i]);
    if (tile.thread_rank() == 0) {
        sums[i / size] = sum;
        most[i / size] = largest;
    }
}

// One atomic for all threads of a warp that want one: filtering.
__global__ void filter(int const* in, int* out, int* count, int n) {
    int const i = static_cast<int>(cg::this_grid().thread_rank());
    if (i >= n || in[i] % 3 != 0) return;
    cg::coalesced_group const group = cg::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(group.size()));
    out[group.shfl(first, 0) + group.thread_rank()] = in[i];
}

__global__ void by_label(int const* in, int* sums) {
    auto const warp = cg::tiled_partition<32>(cg::this_thread_block());
    int const i = static_cast<int>(cg::this_grid().thread_rank());
    auto const same = cg::labeled_partition(warp, in[i] & 3);
    int const sum = cg::reduce(same, in[i], cg::plus<int>());
    if (same.thread_rank() == 0) atomicAdd(&sums[in[i] & 3], sum);
}

__global__ void reduce_grid(int const* in, long long* partial, long long* sum, int n) {
    cg::grid_group const grid = cg::this_grid();
    cg::thread_block const block = cg::this_thread_block();
    __shared__ long long parts[32];
    long long own = 0;
    for (auto i = grid.thread_rank(); i < n; i += grid.size()) own += in[i];
    auto const warp = cg::tiled_partition<32>(block);
    own = cg::reduce(warp, own, cg::plus<long long>());
    if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = own;
    block.sync();
    if (block.thread_rank() == 0) {
        long long total = 0;
        for (unsigned w = 0; w < warp.meta_group_size(); ++w) total += parts[w];
        partial[blockIdx.x] = total;
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
        *sum = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) *sum += partial[b];
    }
}

int* in;
int *sums, *most, *scanned;
int const n = 1024;

template <int size>
void check_tiles() {
    reduce_tiles<size><<<n / 256, 256>>>(in, sums, most, scanned);
    OK(cudaDeviceSynchronize());
    for (int t = 0; t < n / size; ++t) {
        int sum = 0;
        for (int i = t * size; i < (t + 1) * size; ++i) CHECK(scanned[i] == (sum += in[i]));
        CHECK(sums[t] == sum);
        CHECK(most[t] == *std::max_element(in + t * size, in + (t + 1) * size));
    }
}

int main() {
    OK(cudaMallocManaged(&in, n * 4));
    OK(cudaMallocManaged(&sums, n * 4));
    OK(cudaMallocManaged(&most, n * 4));
    OK(cudaMallocManaged(&scanned, n * 4));
    for (int i = 0; i < n; ++i) in[i] = (i * 7919) % 1000 - 300;
    check_tiles<1>();
    check_tiles<2>();
    check_tiles<4>();
    check_tiles<8>();
    check_tiles<16>();
    check_tiles<32>();

    *most = 0;
    filter<<<n / 128, 128>>>(in, scanned, most, n);
    OK(cudaDeviceSynchronize());
    std::vector<int> wanted;
    std::copy_if(in, in + n, std::back_inserter(wanted), [](int v) { return v % 3 == 0; });
    std::vector<int> got(scanned, scanned + *most);
    std::sort(wanted.begin(), wanted.end());
    std::sort(got.begin(), got.end());
    CHECK(got == wanted);

    for (int k = 0; k < 4; ++k) sums[k] = 0;
    by_label<<<n / 128, 128>>>(in, sums);
    OK(cudaDeviceSynchronize());
    for (int k = 0; k < 4; ++k) {
        int sum = 0;
        for (int i = 0; i < n; ++i) sum += (in[i] & 3) == k ? in[i] : 0;
        CHECK(sums[k] == sum);
    }

    long long *partial, *sum;
    OK(cudaMallocManaged(&partial, 64 * 8));
    OK(cudaMallocManaged(&sum, 8));
    int count = n;
    void* arguments[] = {&in, &partial, &sum, &count};
    OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(reduce_grid), dim3(5), dim3(96), arguments, 0, nullptr));
    OK(cudaDeviceSynchronize());
    long long total = 0;
    for (int i = 0; i < n; ++i) total += in[i];
    CHECK(*sum == total);
    return result();
}
