// libcu++: barriers, pipelines, atomics with scopes and orders, semaphores, latches.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

extern "C" __global__ void barriers(float const* in, float* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ alignas(16) float stage[256];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(cooperative_groups::this_thread_block(), stage, in, cuda::aligned_size_t<16>(sizeof stage),
                       barrier);
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    out[threadIdx.x] = stage[threadIdx.x ^ 1];
    barrier.arrive_and_wait();
    if (threadIdx.x > 16) barrier.arrive_and_drop();
}
extern "C" __global__ void pipelines(int const* in, int* out, int rounds) {
    __shared__ int stages[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto const block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int i = 0; i < rounds; ++i) {
        pipeline.producer_acquire();
        cuda::memcpy_async(block, stages[i % 2], in + i * 128, sizeof stages[0], pipeline);
        pipeline.producer_commit();
        pipeline.consumer_wait();
        out[threadIdx.x] += stages[i % 2][threadIdx.x];
        pipeline.consumer_release();
    }
}
extern "C" __global__ void atomics(int* counters, unsigned long long* wide, float* sums) {
    cuda::atomic_ref<int, cuda::thread_scope_device> counter(counters[0]);
    cuda::atomic_ref<int, cuda::thread_scope_block> local(counters[1]);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> system(wide[0]);
    counter.fetch_add(1, cuda::memory_order_relaxed);
    local.fetch_max(7, cuda::memory_order_acq_rel);
    while (counter.load(cuda::memory_order_acquire) < 4) {}
    int expected = 3;
    counter.compare_exchange_strong(expected, 5, cuda::memory_order_seq_cst);
    system.store(wide[1], cuda::memory_order_release);
    system.exchange(9);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    atomicAdd_block(&sums[0], 1.0f);
    atomicAdd_system(&sums[1], 2.0f);
    atomicCAS(reinterpret_cast<unsigned short*>(&sums[2]), 1, 2);
    atomicExch(&wide[2], atomicXor(&wide[3], 5ull));
    atomicInc(reinterpret_cast<unsigned*>(&counters[2]), 9);
    __threadfence_system();
}
__device__ cuda::binary_semaphore<cuda::thread_scope_device> lock{1};
extern "C" __global__ void semaphores(int* value) {
    if (threadIdx.x == 0) {
        lock.acquire();
        *value += 1;
        lock.release();
    }
}
extern "C" __global__ void latches(int* value) {
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(Latch) char storage[sizeof(Latch)];
    auto& ready = *reinterpret_cast<Latch*>(storage);
    if (threadIdx.x == 0) new (storage) Latch(blockDim.x);
    __syncthreads();
    ready.arrive_and_wait();
    value[threadIdx.x] = 1;
}
