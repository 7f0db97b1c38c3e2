// CUB inside one CTA and one warp.
#include <cub/cub.cuh>
#include <cuda/functional>

extern "C" __global__ void block_reduce(float const* in, float* out) {
    using Reduce = cub::BlockReduce<float, 128>;
    __shared__ typename Reduce::TempStorage storage;
    float const sum = Reduce(storage).Sum(in[blockIdx.x * 128 + threadIdx.x]);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
extern "C" __global__ void block_scan(int const* in, int* out) {
    using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Scan::TempStorage storage;
    int sum;
    Scan(storage).InclusiveSum(in[threadIdx.x], sum);
    out[threadIdx.x] = sum;
}
extern "C" __global__ void warp_scan(double const* in, double* out) {
    using Scan = cub::WarpScan<double>;
    __shared__ typename Scan::TempStorage storage[4];
    double sum;
    Scan(storage[threadIdx.x / 32]).ExclusiveSum(in[threadIdx.x], sum);
    out[threadIdx.x] = sum;
}
extern "C" __global__ void warp_reduce(int const* in, int* out) {
    using Reduce = cub::WarpReduce<int>;
    __shared__ typename Reduce::TempStorage storage[4];
    int const most = Reduce(storage[threadIdx.x / 32]).Reduce(in[threadIdx.x], cuda::maximum<>{});
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = most;
}
extern "C" __global__ void block_sort(unsigned* keys) {
    using Load = cub::BlockLoad<unsigned, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<unsigned, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Sort::TempStorage sort;
    } storage;
    unsigned items[4];
    Load(storage.load).Load(keys, items);
    __syncthreads();
    Sort(storage.sort).Sort(items);
    __syncthreads();
    Store(storage.store).Store(keys, items);
}
