// PTX inside of CUDA: operands of all kinds, predicates, labels, special registers, memory clobbers.
#include "check.hpp"
#include <cstdint>

__device__ unsigned lane() {
    unsigned v;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(v));
    return v;
}
__device__ int add_if(int a, int b, bool take) {
    int r;
    asm("{ .reg .pred p; setp.ne.s32 p, %3, 0; mov.s32 %0, %1; @p add.s32 %0, %1, %2; }" : "=r"(r) : "r"(a), "r"(b), "r"(static_cast<int>(take)));
    return r;
}
__device__ unsigned power_of_two_below(unsigned v) {
    unsigned r;
    asm("{ .reg .pred p; .reg .u32 t; mov.u32 %0, 1;\n"
        "again: shl.b32 t, %0, 1; setp.le.u32 p, t, %1; @p mov.u32 %0, t; @p bra again; }" : "=&r"(r) : "r"(v));
    return r;
}
__device__ float fused(float a, float b, float c) {
    float r;
    asm("fma.rz.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));
    return r;
}
__device__ std::uint64_t add_wide(std::uint64_t a, std::uint64_t b, unsigned& carry) {
    std::uint64_t r;
    asm("add.cc.u64 %0, %2, %3; addc.u32 %1, 0, 0;" : "=l"(r), "=r"(carry) : "l"(a), "l"(b));
    return r;
}
__global__ void work(unsigned* out, float* real, std::uint64_t* wide) {
    unsigned const i = threadIdx.x;
    out[i] = lane();
    out[64 + i] = static_cast<unsigned>(add_if(static_cast<int>(i), 100, i % 2 == 1));
    out[128 + i] = power_of_two_below(i + 1);
    real[i] = fused(1.0f + static_cast<float>(i) * 1.1920929e-7f, 3.0f, 5.9604645e-8f);
    unsigned carry = 0;
    wide[i] = add_wide(~0ull - 30, i, carry);
    out[192 + i] = carry;
    unsigned* const address = &out[256 + i];
    asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(address)), "r"(i ^ 21) : "memory");
    unsigned back;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(back) : "l"(__cvta_generic_to_global(address)));
    out[320 + i] = back + 1;
}

int main() {
    unsigned* out;
    float* real;
    std::uint64_t* wide;
    OK(cudaMallocManaged(&out, 384 * 4));
    OK(cudaMallocManaged(&real, 64 * 4));
    OK(cudaMallocManaged(&wide, 64 * 8));
    work<<<1, 64>>>(out, real, wide);
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 64; ++i) {
        unsigned power = 1;
        while (power * 2 <= i + 1) power *= 2;
        CHECK(out[i] == i % 32 && out[64 + i] == (i % 2 == 1 ? i + 100 : i) && out[128 + i] == power);
        CHECK(wide[i] == ~0ull - 30 + i && out[192 + i] == (i > 30 ? 1u : 0u));
        CHECK(out[256 + i] == (i ^ 21) && out[320 + i] == (i ^ 21) + 1);
        // Toward zero: cut the exact value at 24 bits.
        double const exact = (1.0 + i * 1.1920928955078125e-7) * 3.0 + 5.9604644775390625e-8;
        double const unit = exact >= 2.0 ? 2.384185791015625e-7 : 1.1920928955078125e-7;
        CHECK(real[i] == static_cast<float>(static_cast<double>(static_cast<std::uint64_t>(exact / unit)) * unit));
    }
    return result();
}
