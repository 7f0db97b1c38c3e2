// Blocks of a cluster read each other's shared memory, and wait for each other before they end.
// check race
// finds write after read
// launch grid 2 block 32
// compile -arch=compute_90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2, 1, 1) k(unsigned* out, unsigned*) {
    __shared__ unsigned values[32];
    cg::cluster_group const cluster = cg::this_cluster();
    values[threadIdx.x] = threadIdx.x + 100 * cluster.block_rank();
#ifdef MISTAKE
    __syncthreads();
#else
    cluster.sync();
#endif
    unsigned const* const other = cluster.map_shared_rank(values, cluster.block_rank() ^ 1);
    out[blockIdx.x * 32 + threadIdx.x] = other[31 - threadIdx.x];
    cluster.sync();
}
