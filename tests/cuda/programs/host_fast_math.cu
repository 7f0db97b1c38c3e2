// A host program built with -ffast-math sets its processor to flush subnormals: what kernels compute stays the same.
// compile: -Xcompiler -ffast-math
#include "check.hpp"
#include <cstdint>
#include <cstring>

__global__ void tiny(float const* a, double const* b, unsigned* f, unsigned long long* d) {
    f[0] = __float_as_uint(a[0] * 0.5f);                 // half of the least normal number
    f[1] = __float_as_uint(a[0] - a[1]);                 // the difference of two: subnormal
    f[2] = __float_as_uint(a[2] + a[2]);                 // subnormals in and out
    f[3] = __float_as_uint(__fdiv_rn(1.0f, 3.0f));
    f[4] = __float_as_uint(__fsqrt_rn(a[2]));
    f[5] = __float_as_uint(a[2] * 16777216.0f);          // back to a normal one
    d[0] = static_cast<unsigned long long>(__double_as_longlong(b[0] * 0.5));
    d[1] = static_cast<unsigned long long>(__double_as_longlong(b[1] + b[1]));
}

int main() {
    std::uint32_t const floats[] = {0x00800000u, 0x00800001u, 0x00000003u};
    std::uint64_t const doubles[] = {0x0010000000000000ull, 0x0000000000000005ull};
    float* a;
    double* b;
    unsigned* f;
    unsigned long long* d;
    OK(cudaMallocManaged(&a, sizeof floats));
    OK(cudaMallocManaged(&b, sizeof doubles));
    OK(cudaMallocManaged(&f, 6 * 4));
    OK(cudaMallocManaged(&d, 2 * 8));
    std::memcpy(a, floats, sizeof floats);
    std::memcpy(b, doubles, sizeof doubles);
    for (int round = 0; round < 2; ++round) {
        tiny<<<1, 1>>>(a, b, f, d);
        OK(cudaDeviceSynchronize());
        CHECK(f[0] == 0x00400000u && f[1] == 0x80000001u && f[2] == 0x00000006u && f[3] == 0x3eaaaaabu);
        CHECK(f[4] == 0x1a9cc471u && f[5] == 0x01c00000u);      // sqrt(6) * 2^-75, 1.5 * 2^-124
        CHECK(d[0] == 0x0008000000000000ull && d[1] == 0x000000000000000aull);
    }
    return result();
}
