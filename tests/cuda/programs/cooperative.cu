// A grid whose blocks wait for one another, and groups of threads within it.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void rounds(int* values, int n, int* total) {
    cg::grid_group grid = cg::this_grid();
    unsigned const i = static_cast<unsigned>(grid.thread_rank());
    for (int r = 0; r < n; ++r) {
        int const left = values[(i + grid.size() - 1) % grid.size()];
        grid.sync();
        values[i] = left + 1;
        grid.sync();
    }
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int const sum = cg::reduce(tile, values[i], cg::plus<int>());
    if (tile.thread_rank() == 0) atomicAdd(total, sum);
}
int main() {
    int *values, *total, rounds_count = 5, n = 8 * 64;
    OK(cudaMallocManaged(&values, n * sizeof(int)));
    OK(cudaMallocManaged(&total, sizeof(int)));
    for (int i = 0; i < n; ++i) values[i] = i;
    *total = 0;
    void* arguments[] = {&values, &rounds_count, &total};
    OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(8), dim3(64), arguments, 0, nullptr));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK(values[i] == (i + n - 5) % n + 5);
    CHECK(*total == n * (n - 1) / 2 + 5 * n);
    IS(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(100000), dim3(1024), arguments, 0, nullptr),
       cudaErrorCooperativeLaunchTooLarge);
    return result();
}
