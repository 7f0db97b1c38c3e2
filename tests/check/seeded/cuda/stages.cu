// A ring of stages, each with an mbarrier for full and one for free, whose phases count the rounds through the ring.
// check race
// finds write after read
// launch block 64
// compile -arch=compute_90
#include <cuda/ptx>

#include <cstdint>
namespace ptx = cuda::ptx;

constexpr unsigned stages = 3, rounds = 2;

extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ unsigned values[stages][32];
    __shared__ std::uint64_t full[stages], is_free[stages];
    if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < stages; ++stage) {
            ptx::mbarrier_init(&full[stage], 32);
            ptx::mbarrier_init(&is_free[stage], 32);
        }
    }
    __syncthreads();
    unsigned const lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
#ifdef MISTAKE
        unsigned const phase = 0;
#else
        unsigned const phase = round % 2;
#endif
        for (unsigned stage = 0; stage < stages; ++stage) {
            if (threadIdx.x < 32) {
                while (!ptx::mbarrier_try_wait_parity(&is_free[stage], round % 2 ^ 1)) {}
                values[stage][lane] = round + stage + lane;
                ptx::mbarrier_arrive(&full[stage]);
            } else {
                while (!ptx::mbarrier_try_wait_parity(&full[stage], phase)) {}
                sum += values[stage][31 - lane];
                if (round + 1 != rounds) ptx::mbarrier_arrive(&is_free[stage]);
            }
        }
    }
    out[threadIdx.x] = sum;
}
