// What the lanes of a warp do together.
// compile: -arch=compute_80
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <cstdint>

__global__ void shuffles(int* out) {
    int const lane = threadIdx.x;
    out[lane] = __shfl_sync(~0u, lane * 10, (lane + 5) & 31);
    out[32 + lane] = __shfl_up_sync(~0u, lane * 10, 3);
    out[64 + lane] = __shfl_down_sync(~0u, lane * 10, 4, 8);
    out[96 + lane] = __shfl_xor_sync(~0u, lane * 10, 17);
    long long const wide = __shfl_sync(~0u, (static_cast<long long>(lane) << 40) + lane, 9);
    out[128 + lane] = static_cast<int>(wide >> 40) + static_cast<int>(wide);
    double const real = __shfl_down_sync(~0u, lane * 0.5, 1);
    out[160 + lane] = static_cast<int>(real * 2);
}
__global__ void votes(unsigned* out) {
    int const lane = threadIdx.x;
    out[lane] = __ballot_sync(~0u, lane % 3 == 0);
    out[32 + lane] = static_cast<unsigned>(__all_sync(~0u, lane < 32)) | static_cast<unsigned>(__all_sync(~0u, lane < 31)) << 1 |
                     static_cast<unsigned>(__any_sync(~0u, lane == 7)) << 2 | static_cast<unsigned>(__any_sync(~0u, lane > 40)) << 3;
    out[64 + lane] = __match_any_sync(~0u, lane / 5);
    int same = 0;
    out[96 + lane] = __match_all_sync(~0u, lane & 32, &same) + static_cast<unsigned>(same);
    if (lane & 1) out[128 + lane] = __activemask();
    else out[128 + lane] = __ballot_sync(0x55555555u, lane > 15);
    __syncwarp();
}
__global__ void reductions(unsigned* out, int const* in) {
    int const lane = threadIdx.x;
    int const v = in[lane];
    out[lane] = static_cast<unsigned>(__reduce_add_sync(~0u, v));
    out[32 + lane] = static_cast<unsigned>(__reduce_min_sync(~0u, v));
    out[64 + lane] = static_cast<unsigned>(__reduce_max_sync(~0u, v));
    out[96 + lane] = __reduce_and_sync(~0u, static_cast<unsigned>(v));
    out[128 + lane] = __reduce_or_sync(~0u, static_cast<unsigned>(v));
    out[160 + lane] = __reduce_xor_sync(~0u, static_cast<unsigned>(v));
}

int main() {
    int *out, *in;
    OK(cudaMallocManaged(&out, 256 * 4));
    OK(cudaMallocManaged(&in, 32 * 4));
    shuffles<<<1, 32>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) {
        CHECK(out[i] == ((i + 5) & 31) * 10);
        CHECK(out[32 + i] == (i >= 3 ? i - 3 : i) * 10);
        CHECK(out[64 + i] == ((i & 7) + 4 < 8 ? i + 4 : i) * 10);
        CHECK(out[96 + i] == (i ^ 17) * 10);
        CHECK(out[128 + i] == 18);
        CHECK(out[160 + i] == (i < 31 ? i + 1 : i));
    }
    unsigned* const u = reinterpret_cast<unsigned*>(out);
    votes<<<1, 32>>>(u);
    OK(cudaDeviceSynchronize());
    unsigned thirds = 0;
    for (int i = 0; i < 32; i += 3) thirds |= 1u << i;
    for (int i = 0; i < 32; ++i) {
        unsigned group = 0;
        for (int j = 0; j < 32; ++j) group |= j / 5 == i / 5 ? 1u << j : 0;
        CHECK(u[i] == thirds);
        CHECK(u[32 + i] == 5);
        CHECK(u[64 + i] == group);
        CHECK(u[96 + i] == 0);        // all lanes, and one more
        CHECK(u[128 + i] == ((i & 1) != 0 ? 0xaaaaaaaau : 0x55550000u));
    }
    int sum = 0;
    unsigned both = ~0u, any = 0, odd = 0;
    for (int i = 0; i < 32; ++i) {
        in[i] = (i * 7919 + 13) % 1000 - 500;
        sum += in[i];
        both &= static_cast<unsigned>(in[i]);
        any |= static_cast<unsigned>(in[i]);
        odd ^= static_cast<unsigned>(in[i]);
    }
    int least = in[0], most = in[0];
    for (int i = 1; i < 32; ++i) {
        least = in[i] < least ? in[i] : least;
        most = in[i] > most ? in[i] : most;
    }
    reductions<<<1, 32>>>(u, in);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; ++i) {
        CHECK(out[i] == sum && out[32 + i] == least && out[64 + i] == most);
        CHECK(u[96 + i] == both && u[128 + i] == any && u[160 + i] == odd);
    }
    return result();
}
