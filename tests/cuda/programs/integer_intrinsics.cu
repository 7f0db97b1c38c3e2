// Integer functions of the device against plain arithmetic on the host.
#include "check.hpp"
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>

constexpr int outputs = 18;

__global__ void compute(unsigned const* a, unsigned const* b, unsigned* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned const x = a[i], y = b[i];
    int const sx = static_cast<int>(x), sy = static_cast<int>(y);
    unsigned* const o = out + i * outputs;
    o[0] = static_cast<unsigned>(__popc(x));
    o[1] = static_cast<unsigned>(__clz(sx));
    o[2] = static_cast<unsigned>(__ffs(sx));
    o[3] = __brev(x);
    o[4] = __byte_perm(x, y, 0x6152);
    o[5] = __umulhi(x, y);
    o[6] = static_cast<unsigned>(__mulhi(sx, sy));
    o[7] = __funnelshift_l(x, y, y & 31);
    o[8] = __funnelshift_r(x, y, x & 31);
    o[9] = static_cast<unsigned>(__dp4a(sx, sy, 7));
    o[10] = static_cast<unsigned>(__sad(sx, sy, 3u));
    o[11] = __vaddus4(x, y);
    o[12] = __vmaxs2(x, y);
    o[13] = static_cast<unsigned>(__umul64hi((static_cast<unsigned long long>(x) << 32) + y, 0x123456789abcdefull) >> 32);
    o[14] = y != 0 ? x / y + x % y : 0;
    o[15] = static_cast<unsigned>(sy != 0 ? sx / (sy >> 16 | 1) : 0);
    o[16] = static_cast<unsigned>(__rhadd(sx, sy));
    o[17] = x << (y & 63) % 32 ^ static_cast<unsigned>(sx >> (y & 31));
}

int main() {
    int const n = 500;
    std::mt19937 random(9);
    unsigned *a, *b, *out;
    OK(cudaMallocManaged(&a, n * 4));
    OK(cudaMallocManaged(&b, n * 4));
    OK(cudaMallocManaged(&out, n * outputs * 4));
    for (int i = 0; i < n; ++i) a[i] = random() >> random() % 32, b[i] = random() >> random() % 32;
    a[0] = 0, a[1] = ~0u, b[1] = ~0u, a[2] = 0x80000000u, b[2] = 1;
    compute<<<4, 128>>>(a, b, out, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        unsigned const x = a[i], y = b[i];
        int const sx = static_cast<int>(x), sy = static_cast<int>(y);
        unsigned const* const o = out + i * outputs;
        unsigned bits = 0, leading = 32, first = 0, mirrored = 0;
        for (unsigned k = 0; k < 32; ++k) {
            bits += x >> k & 1;
            if ((x >> k & 1) != 0) {
                leading = 31 - k;
                first = first == 0 ? k + 1 : first;
                mirrored |= 1u << (31 - k);
            }
        }
        CHECK(o[0] == bits && o[1] == leading && o[2] == first && o[3] == mirrored);
        std::uint8_t const bytes[8] = {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(x >> 8), static_cast<std::uint8_t>(x >> 16),
                                       static_cast<std::uint8_t>(x >> 24), static_cast<std::uint8_t>(y), static_cast<std::uint8_t>(y >> 8),
                                       static_cast<std::uint8_t>(y >> 16), static_cast<std::uint8_t>(y >> 24)};
        CHECK(o[4] == (bytes[2] | bytes[5] << 8 | bytes[1] << 16 | static_cast<unsigned>(bytes[6]) << 24));
        CHECK(o[5] == static_cast<unsigned>(std::uint64_t{x} * y >> 32));
        CHECK(o[6] == static_cast<unsigned>(std::int64_t{sx} * sy >> 32));
        std::uint64_t const both = std::uint64_t{y} << 32 | x;
        CHECK(o[7] == static_cast<unsigned>((both << (y & 31)) >> 32) && o[8] == static_cast<unsigned>(both >> (x & 31)));
        int dot = 7;
        unsigned sums = 0, most = 0;
        for (int k = 0; k < 4; ++k) {
            dot += static_cast<std::int8_t>(x >> 8 * k) * static_cast<std::int8_t>(y >> 8 * k);
            sums |= std::min(255u, (x >> 8 * k & 255) + (y >> 8 * k & 255)) << 8 * k;
        }
        for (int k = 0; k < 2; ++k) {
            most |= static_cast<unsigned>(static_cast<std::uint16_t>(
                        std::max(static_cast<std::int16_t>(x >> 16 * k), static_cast<std::int16_t>(y >> 16 * k)))) << 16 * k;
        }
        CHECK(o[9] == static_cast<unsigned>(dot) && o[11] == sums && o[12] == most);
        CHECK(o[10] == static_cast<unsigned>(std::llabs(std::int64_t{sx} - sy) + 3));
        auto const wide = static_cast<unsigned __int128>((std::uint64_t{x} << 32) + y) * 0x123456789abcdefull;
        CHECK(o[13] == static_cast<unsigned>(static_cast<std::uint64_t>(wide >> 64) >> 32));
        CHECK(o[14] == (y != 0 ? x / y + x % y : 0));
        int const divisor = sy >> 16 | 1;
        CHECK(o[15] == (sy != 0 ? static_cast<unsigned>(std::int64_t{sx} / divisor) : 0u));
        CHECK(o[16] == static_cast<unsigned>((std::int64_t{sx} + sy + 1) >> 1));
        CHECK(o[17] == (x << (y & 63) % 32 ^ static_cast<unsigned>(sx >> (y & 31))));
    }
    return result();
}
