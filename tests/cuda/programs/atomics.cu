// Atomic operations of every kind and width, on global and shared memory; a lock, a queue, compare-and-swap loops.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <algorithm>
#include <vector>

struct Results {
    int add, sub, min, max, exchange, cas;
    unsigned inc, dec, bit_and, bit_or, bit_xor;
    unsigned long long wide_add, wide_max, wide_cas;
    float real;
    double twice, product;
};
__device__ double multiply(double* address, double v) {
    auto* const bits = reinterpret_cast<unsigned long long*>(address);
    unsigned long long old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, static_cast<unsigned long long>(__double_as_longlong(v * __longlong_as_double(static_cast<long long>(seen)))));
    } while (old != seen);
    return __longlong_as_double(static_cast<long long>(old));
}
__device__ void all(Results* r, int i, int n) {
    atomicAdd(&r->add, i);
    atomicSub(&r->sub, 2 * i);
    atomicMin(&r->min, 100 - i);
    atomicMax(&r->max, i * 3);
    atomicExch(&r->exchange, i);
    atomicCAS(&r->cas, 0, i + 1);
    atomicInc(&r->inc, 9);
    atomicDec(&r->dec, 6);
    atomicAnd(&r->bit_and, ~(1u << (i % 20)));
    atomicOr(&r->bit_or, 1u << (i % 13));
    atomicXor(&r->bit_xor, 1u << (i % 32));
    atomicAdd(&r->wide_add, (1ull << 33) + i);
    atomicMax(&r->wide_max, (1ull << 40) + i);
    atomicCAS(&r->wide_cas, 5ull, 1ull << 50);
    atomicAdd(&r->real, 0.5f);
    atomicAdd(&r->twice, 0.25);
    if (i < 10) multiply(&r->product, 2.0);
}
__global__ void in_global(Results* r, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) all(r, i, n);
}
__global__ void in_shared(Results* r, int n) {
    __shared__ Results own;
    if (threadIdx.x == 0) own = *r;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) all(&own, i, n);
    __syncthreads();
    if (threadIdx.x == 0) *r = own;
}
void check(Results const& r, int n) {
    CHECK(r.add == n * (n - 1) / 2 && r.sub == -n * (n - 1) && r.min == 101 - n && r.max == 3 * (n - 1));
    CHECK(r.exchange >= 0 && r.exchange < n && r.cas >= 1 && r.cas <= n);
    CHECK(r.inc == static_cast<unsigned>(n % 10) && r.dec == static_cast<unsigned>((7 - n % 7) % 7));
    CHECK(r.bit_and == 0xfff00000u && r.bit_or == 0x1fffu);
    unsigned odd = 0;
    for (int i = 0; i < n; ++i) odd ^= 1u << (i % 32);
    CHECK(r.bit_xor == odd);
    CHECK(r.wide_add == static_cast<unsigned long long>(n) * (1ull << 33) + static_cast<unsigned long long>(n) * (n - 1) / 2);
    CHECK(r.wide_max == (1ull << 40) + n - 1 && r.wide_cas == 1ull << 50);
    CHECK(r.real == 0.5f * n && r.twice == 0.25 * n && r.product == 1024.0);
}

__device__ int lock = 0;
__global__ void count_locked(volatile int* count) {      // one thread of each warp takes the lock in turn
    for (bool done = false; !done;) {
        if (atomicCAS(&lock, 0, 1) != 0) continue;
        __threadfence();
        *count = *count + 1;
        __threadfence();
        atomicExch(&lock, 0);
        done = true;
    }
}
__global__ void produce(int* queue, unsigned* tail) {
    unsigned const at = atomicAdd(tail, 1u);
    queue[at] = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

int main() {
    int const n = 203;
    Results* r;
    OK(cudaMallocManaged(&r, sizeof *r));
    for (int where = 0; where < 2; ++where) {
        *r = Results{};
        r->bit_and = ~0u;
        r->min = 1000;
        r->wide_cas = 5;
        r->product = 1.0;
        if (where == 0) in_global<<<4, 64>>>(r, n);
        else in_shared<<<1, 96>>>(r, n);
        OK(cudaDeviceSynchronize());
        check(*r, n);
    }
    int* count;
    OK(cudaMallocManaged(&count, 4));
    count_locked<<<6, 64>>>(count);
    OK(cudaDeviceSynchronize());
    CHECK(*count == 6 * 64);
    int* queue;
    unsigned* tail;
    OK(cudaMallocManaged(&queue, 1000 * 4));
    OK(cudaMallocManaged(&tail, 4));
    produce<<<10, 100>>>(queue, tail);
    OK(cudaDeviceSynchronize());
    std::sort(queue, queue + 1000);
    for (int i = 0; i < 1000; ++i) CHECK(queue[i] == i);
    CHECK(*tail == 1000);
    return result();
}
