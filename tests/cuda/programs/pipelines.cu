// Asynchronous copies to shared memory: barriers and pipelines of libcu++, memcpy_async of groups, double buffering.
// compile: -arch=compute_80
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <new>

namespace cg = cooperative_groups;
constexpr int part = 128;

__global__ void with_pipeline(int const* in, int* out, int parts) {
    __shared__ int buffer[2][part];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto const block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int fetch = 0, use = 0; use < parts; ++use) {
        for (; fetch < parts && fetch < use + 2; ++fetch) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, buffer[fetch % 2], in + fetch * part, sizeof(int) * part, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[use * part + threadIdx.x] = buffer[use % 2][(threadIdx.x + 1) % part] * 2;
        pipeline.consumer_release();
    }
}
__global__ void with_barrier(int const* in, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ alignas(16) int buffer[part];
    auto const block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&barrier, block.size());
    block.sync();
    cuda::memcpy_async(block, buffer, in + blockIdx.x * part, cuda::aligned_size_t<16>(sizeof buffer), barrier);
    barrier.arrive_and_wait();
    out[blockIdx.x * part + threadIdx.x] = buffer[part - 1 - threadIdx.x];
}
__global__ void with_groups(int const* in, int* out) {
    __shared__ int buffer[part];
    auto const block = cg::this_thread_block();
    cg::memcpy_async(block, buffer, in + blockIdx.x * part, sizeof buffer);
    cg::wait(block);
    out[blockIdx.x * part + threadIdx.x] = buffer[threadIdx.x ^ 1] + 1;
}
// Half of the block makes what the other half uses, with a barrier for each direction.
__global__ void produce_and_consume(int* out, int rounds) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ Barrier filled, empty;
    __shared__ int box[32];
    if (threadIdx.x == 0) {
        init(&filled, 64);
        init(&empty, 64);
    }
    __syncthreads();
    int const i = threadIdx.x % 32;
    int sum = 0;
    for (int r = 0; r < rounds; ++r) {
        if (threadIdx.x < 32) {
            if (r > 0) empty.arrive_and_wait();
            box[i] = r * 100 + i;
            static_cast<void>(filled.arrive());
        } else {
            filled.arrive_and_wait();
            sum += box[31 - i];
            if (r + 1 < rounds) static_cast<void>(empty.arrive());
        }
    }
    if (threadIdx.x >= 32) out[i] = sum;
}

int main() {
    int const parts = 7, n = parts * part;
    int *in, *out;
    OK(cudaMallocManaged(&in, n * 4));
    OK(cudaMallocManaged(&out, n * 4));
    for (int i = 0; i < n; ++i) in[i] = i * 3 + 1;
    with_pipeline<<<1, part>>>(in, out, parts);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK(out[i] == 2 * in[i / part * part + (i + 1) % part]);
    with_barrier<<<parts, part>>>(in, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK(out[i] == in[i / part * part + part - 1 - i % part]);
    with_groups<<<parts, part>>>(in, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) CHECK(out[i] == in[i ^ 1] + 1);
    produce_and_consume<<<1, 64>>>(out, 10);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) CHECK(out[i] == 4500 + 10 * (31 - i));
    return result();
}
