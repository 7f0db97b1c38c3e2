// Instructions of sm_80 as functions: asynchronous copies, matrices out of shared memory, products of 16-bit floats.
#pragma once

#include <cstdint>

namespace ampere {

__device__ inline std::uint32_t shared_address(void const* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline void copy_16(void* to, void const* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;"); }
template <int pending> __device__ void wait_for_copies() { asm volatile("cp.async.wait_group %0;" ::"n"(pending)); }

__device__ inline void load_four(std::uint32_t (&r)[4], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}
__device__ inline void load_four_transposed(std::uint32_t (&r)[4], void const* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

__device__ inline void multiply(float (&d)[4], std::uint32_t const (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace ampere
