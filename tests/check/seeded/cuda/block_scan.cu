// Temporary storage of cub::BlockScan is used a second time.
// check race
// finds write after read
// launch block 128
#include <cub/block/block_scan.cuh>

extern "C" __global__ void k(unsigned* out, unsigned*) {
    using Scan = cub::BlockScan<unsigned, 128, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Scan::TempStorage storage;
    unsigned once, twice;
    Scan(storage).ExclusiveSum(threadIdx.x, once);
#ifndef MISTAKE
    __syncthreads();
#endif
    Scan(storage).ExclusiveSum(once, twice);
    out[threadIdx.x] = twice;
}
