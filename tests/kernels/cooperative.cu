// What cooperative groups and the barriers and pipelines of libcu++ compile to.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>

// Shared barriers are initialised by init(), not by their constructors.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

// Every block adds its neighbour's values of the round before: needs a barrier of the whole grid.
extern "C" __global__ void grid_rounds(unsigned* a, unsigned* b, int rounds) {
    auto const grid = cg::this_grid();
    unsigned const n = static_cast<unsigned>(grid.size()), i = static_cast<unsigned>(grid.thread_rank());
    for (int r = 0; r < rounds; ++r) {
        b[i] = a[i] + a[(i + blockDim.x) % n];
        grid.sync();
        a[i] = b[i] + 1;
        grid.sync();
    }
}

// A histogram whose bins are spread over the shared memory of a cluster.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_histogram(unsigned const* values, unsigned* bins, int n) {
    __shared__ unsigned mine[64];
    auto const cluster = cg::this_cluster();
    for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) mine[i] = 0;
    cluster.sync();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < static_cast<unsigned>(n); i += gridDim.x * blockDim.x) {
        unsigned const v = values[i] & 255;
        unsigned* const theirs = cluster.map_shared_rank(mine, v / 64);
        atomicAdd(theirs + v % 64, 1u);
    }
    cluster.sync();
    for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(bins + 64 * cluster.block_rank() + i, mine[i]);
}

// Tiles of eight threads reduce; the odd ones among the threads count themselves.
extern "C" __global__ void tiles(unsigned const* in, unsigned* out) {
    auto const block = cg::this_thread_block();
    auto const tile = cg::tiled_partition<8>(block);
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    unsigned sum = cg::reduce(tile, v, cg::plus<unsigned>());
    sum += tile.shfl_xor(v, 3);
    if (v & 1) {
        auto const odd = cg::coalesced_threads();
        sum += 1000 * odd.size() + 100000 * odd.thread_rank();
    }
    out[i] = sum;
}

// Half of the threads produce, half consume, through a cuda::barrier for each direction.
extern "C" __global__ void produce_consume(unsigned* out, int rounds) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ unsigned buffer[64];
    __shared__ barrier full, empty;
    if (threadIdx.x == 0) {
        init(&full, 128);
        init(&empty, 128);
    }
    __syncthreads();
    unsigned sum = 0, t = threadIdx.x & 63;
    for (int r = 0; r < rounds; ++r) {
        if (threadIdx.x < 64) {
            buffer[t] = 100 * r + t;
            static_cast<void>(full.arrive());
            empty.arrive_and_wait();
        } else {
            full.arrive_and_wait();
            sum += buffer[63 - t];
            static_cast<void>(empty.arrive());
        }
    }
    if (threadIdx.x >= 64) out[blockIdx.x * 64 + t] = sum;
}

// Two stages of copies under way while a third is summed.
extern "C" __global__ void pipelined(unsigned const* in, unsigned* out, int batches) {
    constexpr int stages = 2;
    __shared__ alignas(16) unsigned buffer[stages][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto const block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    unsigned sum = 0;
    int fetched = 0;
    for (int b = 0; b < batches; ++b) {
        for (; fetched < batches && fetched < b + stages; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffer[fetched % stages], in + fetched * 64, cuda::aligned_size_t<16>(64 * sizeof(unsigned)), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum = sum * 3 + buffer[b % stages][63 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
