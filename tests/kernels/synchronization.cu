// Patterns by which CTAs and threads work together through memory: fences with plain atomics, and cuda::atomic.
#include <cuda/atomic>
#include <cuda_fp16.h>

// The last CTA to finish adds up what the others left: __threadfence() between the partial sum and the ticket.
__device__ unsigned tickets = 0;
extern "C" __global__ void last_block_sum(int n, int const* in, int* partial, int* out) {
    __shared__ int sum;
    __shared__ bool is_last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += in[i];
    atomicAdd(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    if (threadIdx.x == 0) {
        int all = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) all += ((int volatile*)partial)[b];
        *out = all;
    }
}

// One thread of each CTA takes a ticket and adds to an unprotected counter in its turn.
struct TicketLock {
    cuda::atomic<unsigned, cuda::thread_scope_device> next, serving;
};
extern "C" __global__ void ticket_lock(TicketLock* lock, unsigned* counter, unsigned* order, int rounds) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < rounds; ++i) {
        unsigned const mine = lock->next.fetch_add(1, cuda::memory_order_relaxed);
        while (lock->serving.load(cuda::memory_order_acquire) != mine) __nanosleep(20);
        order[*counter] = mine;
        *counter = *counter + 1;
        lock->serving.store(mine + 1, cuda::memory_order_release);
    }
}

// CTA 0 sends messages through a ring of slots to CTA 1, which answers with a checksum of each.
extern "C" __global__ void message_queue(unsigned* slots, unsigned* flags, int capacity, int messages, unsigned* out) {
    using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
    for (int m = 0; m < messages; ++m) {
        unsigned* const slot = slots + (m % capacity) * blockDim.x;
        Flag full(flags[m % capacity]);
        unsigned const round = m / capacity;
        if (blockIdx.x == 0) {
            if (threadIdx.x == 0) while (full.load(cuda::memory_order_acquire) != 2 * round) { }
            __syncthreads();
            slot[threadIdx.x] = m * 1000 + threadIdx.x;
            __syncthreads();
            if (threadIdx.x == 0) full.store(2 * round + 1, cuda::memory_order_release);
        } else {
            if (threadIdx.x == 0) while (full.load(cuda::memory_order_acquire) != 2 * round + 1) { }
            __syncthreads();
            atomicAdd(&out[m], slot[threadIdx.x]);
            __syncthreads();
            if (threadIdx.x == 0) full.store(2 * round + 2, cuda::memory_order_release);
        }
    }
}

// Dekker's algorithm with sequentially consistent atomics between two CTAs.
extern "C" __global__ void dekker(int* flags, int* counter, int rounds) {
    using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
    int const self = blockIdx.x, other = 1 - self;
    Flag mine(flags[self]), theirs(flags[other]), turn(flags[2]);
    for (int i = 0; i < rounds; ++i) {
        mine.store(1);
        while (theirs.load() == 1) {
            if (turn.load() != self) {
                mine.store(0);
                while (turn.load() != self) { }
                mine.store(1);
            }
        }
        *(int volatile*)counter = *(int volatile*)counter + 1;
        turn.store(other);
        mine.store(0);
    }
}

// Every read-modify-write that cuda::atomic_ref and the atomic functions have, of many threads on few cells.
extern "C" __global__ void every_operation(unsigned* u, long long* s, float* f, double* d, __half2* h, unsigned n) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_system> add(u[0]), least(u[1]), most(u[2]), bits(u[3]), toggled(u[4]), kept(u[5]);
    add.fetch_add(i, cuda::memory_order_acq_rel);
    least.fetch_min(i + 7, cuda::memory_order_relaxed);
    most.fetch_max(i, cuda::memory_order_seq_cst);
    bits.fetch_or(1u << i % 32);
    toggled.fetch_xor(1u << i % 32);
    kept.fetch_and(~(1u << i % 16));
    cuda::atomic_ref<long long, cuda::thread_scope_block> wide(s[blockIdx.x]);
    wide.fetch_sub(static_cast<long long>(i) << 33);
    atomicMin(&s[gridDim.x], -static_cast<long long>(i));
    cuda::atomic_ref<float, cuda::thread_scope_device> sum(f[0]), largest(f[1]);
    sum.fetch_add(1.0f);
    float const value = static_cast<float>(i % 1000);
    for (float seen = largest.load(); seen < value && !largest.compare_exchange_weak(seen, value);) { }
    atomicAdd(d, 0.5);
    if (i < 2000) atomicAdd(h, __floats2half2_rn(1.0f, -1.0f));
    atomicExch(&u[6], 77);
    atomicDec(&u[7], 99);
}
