// A tile of 16 threads sums through shared memory, with a sync() of the tile at each step.
// check race
// finds read after write
// launch block 64
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ unsigned values[64];
    auto const tile = cg::tiled_partition<16>(cg::this_thread_block());
    unsigned* const mine = values + threadIdx.x / 16 * 16;
    mine[tile.thread_rank()] = threadIdx.x;
    tile.sync();
    for (unsigned step = 8; step != 0; step /= 2) {
        if (tile.thread_rank() < step) mine[tile.thread_rank()] += mine[tile.thread_rank() + step];
#ifndef MISTAKE
        tile.sync();
#endif
    }
    if (tile.thread_rank() == 0) out[threadIdx.x / 16] = mine[0];
}
