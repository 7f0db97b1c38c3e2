// Clusters of blocks: each other's shared memory, their barrier, sizes from the kernel and from the launch.
// compile: -arch=compute_90
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <cooperative_groups.h>
#include <random>
#include <vector>

namespace cg = cooperative_groups;

// A histogram over the shared memory of all blocks of a cluster.
__global__ void histogram(int const* data, int n, int* bins, int bins_of_block) {
    extern __shared__ int own[];
    cg::cluster_group const cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < bins_of_block; i += blockDim.x) own[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int* const there = cluster.map_shared_rank(own, static_cast<unsigned>(data[i] / bins_of_block));
        atomicAdd(there + data[i] % bins_of_block, 1);
    }
    cluster.sync();
    int const first = static_cast<int>(cluster.block_rank()) * bins_of_block;
    for (int i = threadIdx.x; i < bins_of_block; i += blockDim.x) atomicAdd(&bins[first + i], own[i]);
}

// A ring: each block hands its value to the next one.
__global__ void __cluster_dims__(4, 1, 1) ring(int* out, unsigned* ranks) {
    __shared__ int value;
    cg::cluster_group const cluster = cg::this_cluster();
    unsigned const rank = cluster.block_rank();
    if (threadIdx.x == 0) value = static_cast<int>(blockIdx.x) + 1;
    for (int round = 0; round < 3; ++round) {
        cluster.sync();
        int const from_left = *cluster.map_shared_rank(&value, (rank + 3) % 4);
        cluster.sync();
        if (threadIdx.x == 0) value = 10 * from_left;
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = value;
        ranks[blockIdx.x] = rank | cluster.num_blocks() << 8 | cluster.query_shared_rank(cluster.map_shared_rank(&value, 2)) << 16;
    }
    cluster.sync();
}

int main() {
    int const n = 10000, blocks = 8, per_block = 32;
    std::mt19937 random(1);
    int *data, *bins;
    OK(cudaMallocManaged(&data, n * 4));
    OK(cudaMallocManaged(&bins, 256 * 4));
    for (int size : {2, 4, 8}) {
        int const range = size * per_block;
        std::vector<int> wanted(range);
        for (int i = 0; i < n; ++i) ++wanted[data[i] = static_cast<int>(random() % range)];
        for (int i = 0; i < 256; ++i) bins[i] = 0;
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(blocks);
        config.blockDim = dim3(64);
        config.dynamicSmemBytes = per_block * sizeof(int);
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = size;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.attrs = &attribute;
        config.numAttrs = 1;
        OK(cudaLaunchKernelEx(&config, histogram, static_cast<int const*>(data), n, bins, per_block));
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < range; ++i) CHECK(bins[i] == wanted[i]);
    }
    int* out;
    unsigned* ranks;
    OK(cudaMallocManaged(&out, 8 * 4));
    OK(cudaMallocManaged(&ranks, 8 * 4));
    ring<<<8, 32>>>(out, ranks);
    OK(cudaDeviceSynchronize());
    for (int b = 0; b < 8; ++b) {
        CHECK(out[b] == 1000 * (b / 4 * 4 + (b + 1) % 4 + 1));
        CHECK(ranks[b] == (static_cast<unsigned>(b % 4) | 4u << 8 | 2u << 16));
    }
    ring<<<6, 32>>>(out, ranks);      // no multiple of the cluster
    IS(cudaGetLastError(), cudaErrorInvalidClusterSize);
    return result();
}
