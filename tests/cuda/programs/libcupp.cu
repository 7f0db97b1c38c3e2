// libcu++: atomics of all scopes between blocks and with the host, semaphores, latches, containers without a library.
#include "check.hpp"
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <new>

struct Shared {
    cuda::atomic<int, cuda::thread_scope_device> tickets;
    cuda::atomic<unsigned, cuda::thread_scope_system> ready;
    cuda::std::atomic<long long> sum;
    int payload;
};

__global__ void take_turns(Shared* s, int* order) {
    // Blocks take numbers; each waits for the one before it.
    if (threadIdx.x != 0) return;
    int const mine = s->tickets.fetch_add(1, cuda::memory_order_acq_rel);
    while (s->ready.load(cuda::memory_order_acquire) != static_cast<unsigned>(mine)) {}
    order[mine] = s->payload++;
    s->ready.store(static_cast<unsigned>(mine) + 1, cuda::memory_order_release);
}
__global__ void references(int* plain, Shared* s, int* failures_of_exchange) {
    cuda::atomic_ref<int, cuda::thread_scope_device> const count(*plain);
    count.fetch_add(2, cuda::memory_order_relaxed);
    count.fetch_max(static_cast<int>(threadIdx.x), cuda::memory_order_relaxed);
    s->sum += threadIdx.x;
    int expected = 0;
    if (!cuda::atomic_ref<int, cuda::thread_scope_block>(plain[1]).compare_exchange_strong(expected, 1 + static_cast<int>(threadIdx.x))) {
        atomicAdd(failures_of_exchange, 1);
    }
}
__global__ void types(double* out) {
    cuda::std::array<int, 4> a{3, 1, 4, 1};
    int sum = 0;
    for (int const v : a) sum += v;
    cuda::std::complex<double> z(1, 2);
    z = z * cuda::std::complex<double>(3, -1);
    cuda::std::optional<int> none, some(7);
    auto const [x, y] = cuda::std::make_tuple(2.5, 4);
    out[0] = sum;
    out[1] = z.real();
    out[2] = z.imag();
    out[3] = none.value_or(9) * 10 + *some;
    out[4] = x * y;
    out[5] = cuda::std::numeric_limits<float>::max();
    out[6] = abs(cuda::std::complex<double>(3, 4));
}

int main() {
    Shared* s;
    int *order, *plain;
    OK(cudaMallocManaged(&s, sizeof *s));
    new (s) Shared{};
    OK(cudaMallocManaged(&order, 64 * 4));
    OK(cudaMallocManaged(&plain, 3 * 4));
    s->payload = 100;
    take_turns<<<20, 32>>>(s, order);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 20; ++i) CHECK(order[i] == 100 + i);
    CHECK(s->ready.load() == 20 && s->tickets.load() == 20);
    references<<<1, 128>>>(plain, s, plain + 2);
    OK(cudaDeviceSynchronize());
    CHECK(plain[0] >= 127 && plain[0] <= 127 + 256);
    CHECK(plain[1] >= 1 && plain[1] <= 128 && plain[2] == 127);
    CHECK(s->sum == 127 * 64);
    double* out;
    OK(cudaMallocManaged(&out, 7 * 8));
    types<<<1, 1>>>(out);
    OK(cudaDeviceSynchronize());
    double const wanted[] = {9, 5, 5, 97, 10, 3.40282346638528859811704183484516925440e+38, 5};
    for (int i = 0; i < 7; ++i) CHECK(out[i] == wanted[i]);
    return result();
}
