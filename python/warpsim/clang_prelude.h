// What kernels need of CUDA's headers, for a clang without them: qualifiers, indices, barriers, and what the compiler itself
// can do. Of mathematics there is what has an instruction.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};
struct __attribute__((aligned(8))) float2 {
    float x, y;
};
struct __attribute__((aligned(16))) float4 {
    float x, y, z, w;
};
struct __attribute__((aligned(8))) int2 {
    int x, y;
};
struct __attribute__((aligned(16))) int4 {
    int x, y, z, w;
};
#include <__clang_cuda_builtin_vars.h>

#define WARPSIM_FUNCTION static __device__ __forceinline__

WARPSIM_FUNCTION int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
WARPSIM_FUNCTION int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
WARPSIM_FUNCTION int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
WARPSIM_FUNCTION void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
WARPSIM_FUNCTION void __threadfence_block() { __nvvm_membar_cta(); }
WARPSIM_FUNCTION void __threadfence() { __nvvm_membar_gl(); }
WARPSIM_FUNCTION void __threadfence_system() { __nvvm_membar_sys(); }
WARPSIM_FUNCTION unsigned __activemask() {
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
WARPSIM_FUNCTION unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
WARPSIM_FUNCTION int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
WARPSIM_FUNCTION int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }

#define WARPSIM_SHUFFLE(name, kind, clamp)                                                                   \
    WARPSIM_FUNCTION int __shfl##name##_sync(unsigned mask, int value, int lane, int width = 32) {           \
        return __nvvm_shfl_sync_##kind##_i32(mask, value, lane, ((32 - width) << 8) | clamp);                \
    }                                                                                                        \
    WARPSIM_FUNCTION unsigned __shfl##name##_sync(unsigned mask, unsigned value, int lane, int width = 32) { \
        return static_cast<unsigned>(__shfl##name##_sync(mask, static_cast<int>(value), lane, width));       \
    }                                                                                                        \
    WARPSIM_FUNCTION float __shfl##name##_sync(unsigned mask, float value, int lane, int width = 32) {       \
        return __nvvm_shfl_sync_##kind##_f32(mask, value, lane, ((32 - width) << 8) | clamp);                \
    }
WARPSIM_SHUFFLE(, idx, 0x1f)
WARPSIM_SHUFFLE(_up, up, 0)
WARPSIM_SHUFFLE(_down, down, 0x1f)
WARPSIM_SHUFFLE(_xor, bfly, 0x1f)
#undef WARPSIM_SHUFFLE

WARPSIM_FUNCTION float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
WARPSIM_FUNCTION double atomicAdd(double* p, double v) {
    double old;
    asm volatile("atom.add.f64 %0, [%1], %2;" : "=d"(old) : "l"(p), "d"(v) : "memory");
    return old;
}
WARPSIM_FUNCTION int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
WARPSIM_FUNCTION unsigned atomicAdd(unsigned* p, unsigned v) {
    return static_cast<unsigned>(__nvvm_atom_add_gen_i(reinterpret_cast<int*>(p), static_cast<int>(v)));
}
WARPSIM_FUNCTION unsigned long long atomicAdd(unsigned long long* p, unsigned long long v) {
    return static_cast<unsigned long long>(
        __nvvm_atom_add_gen_ll(reinterpret_cast<long long*>(p), static_cast<long long>(v)));
}
WARPSIM_FUNCTION int atomicSub(int* p, int v) { return __nvvm_atom_add_gen_i(p, -v); }
WARPSIM_FUNCTION int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }
WARPSIM_FUNCTION unsigned atomicMax(unsigned* p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
WARPSIM_FUNCTION int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
WARPSIM_FUNCTION unsigned atomicMin(unsigned* p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
WARPSIM_FUNCTION int atomicExch(int* p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
WARPSIM_FUNCTION int atomicCAS(int* p, int expected, int v) { return __nvvm_atom_cas_gen_i(p, expected, v); }
WARPSIM_FUNCTION unsigned atomicCAS(unsigned* p, unsigned expected, unsigned v) {
    return static_cast<unsigned>(
        __nvvm_atom_cas_gen_i(reinterpret_cast<int*>(p), static_cast<int>(expected), static_cast<int>(v)));
}

WARPSIM_FUNCTION int min(int a, int b) { return a < b ? a : b; }
WARPSIM_FUNCTION unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
WARPSIM_FUNCTION int max(int a, int b) { return a > b ? a : b; }
WARPSIM_FUNCTION unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
WARPSIM_FUNCTION float fminf(float a, float b) { return __builtin_fminf(a, b); }
WARPSIM_FUNCTION float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
WARPSIM_FUNCTION float fabsf(float a) { return __builtin_fabsf(a); }
WARPSIM_FUNCTION float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WARPSIM_FUNCTION double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WARPSIM_FUNCTION float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
WARPSIM_FUNCTION double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
WARPSIM_FUNCTION float floorf(float a) { return __builtin_floorf(a); }
WARPSIM_FUNCTION float ceilf(float a) { return __builtin_ceilf(a); }
WARPSIM_FUNCTION int __popc(unsigned a) { return __builtin_popcount(a); }
WARPSIM_FUNCTION int __clz(int a) { return a == 0 ? 32 : __builtin_clz(static_cast<unsigned>(a)); }
WARPSIM_FUNCTION int __ffs(int a) { return __builtin_ffs(a); }
WARPSIM_FUNCTION unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
WARPSIM_FUNCTION int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
WARPSIM_FUNCTION float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
WARPSIM_FUNCTION float __int_as_float(int a) { return __builtin_bit_cast(float, a); }

extern "C" __device__ int vprintf(char const*, void*);
extern "C" __device__ int printf(char const*, ...);
extern "C" __device__ __attribute__((noreturn)) void __assertfail(char const*, char const*, unsigned, char const*,
                                                                  size_t);
#define assert(condition) \
    ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, sizeof(char)))
#undef WARPSIM_FUNCTION
