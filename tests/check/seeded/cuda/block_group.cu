// The block as a cooperative group: sync() between the exchange of values through shared memory.
// check race
// finds write after read
// launch block 128
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ unsigned values[128];
    cg::thread_block const block = cg::this_thread_block();
    unsigned const rank = block.thread_rank();
    values[rank] = rank;
#ifndef MISTAKE
    block.sync();
#endif
    out[rank] = values[block.num_threads() - 1 - rank];
}
