// Sums of warps by cg::reduce, which are added up by the first warp behind a barrier.
// check race
// finds write after read
// launch block 128
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ unsigned sums[4];
    auto const warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned const sum = cg::reduce(warp, threadIdx.x, cg::plus<unsigned>());
    if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;
#ifndef MISTAKE
    __syncthreads();
#endif
    if (threadIdx.x == 0) *out = sums[0] + sums[1] + sums[2] + sums[3];
}
