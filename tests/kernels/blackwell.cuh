// Blackwell's instructions for tensor memory as functions.
#pragma once

#include "hopper.cuh"

namespace blackwell {

using hopper::shared;

// ---- tensor memory -----------------------------------------------------------------------------------------------

/// By one warp; of a pair, by one of each CTA.
template <int ctas> __device__ void allocate(std::uint32_t& address, int columns) {
    if constexpr (ctas == 1)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared(&address)),
                     "r"(columns)
                     : "memory");
    else
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared(&address)),
                     "r"(columns)
                     : "memory");
}
template <int ctas> __device__ void deallocate(std::uint32_t address, int columns) {
    if constexpr (ctas == 1) {
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address), "r"(columns));
    } else {
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");
        asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(address), "r"(columns));
    }
}
__device__ inline void fence_before() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
__device__ inline void fence_after() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

/// Eight columns of this thread's lane.
__device__ inline void load(std::uint32_t address, float (&d)[8]) {
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];\n\t"
                 "tcgen05.wait::ld.sync.aligned;"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7])
                 : "r"(address));
}
/// 32 rows of 16 bytes, to all four quarters of the lanes.
__device__ inline void copy_scales(std::uint32_t to, std::uint64_t from) {
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(to), "l"(from) : "memory");
}

// ---- copies of a pair --------------------------------------------------------------------------------------------

/// The bytes are counted at the barrier of the pair's even CTA.
__device__ inline void load_box_of_pair(void* to, TensorMap const& map, int x, int y, std::uint64_t& barrier) {
    asm volatile("cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%2, %3}], [%4];" ::"r"(shared(to)),
                 "l"(&map), "r"(x), "r"(y), "r"(shared(&barrier) & 0xfeffffff)
                 : "memory");
}
__device__ inline void load_bytes(void* to, void const* from, int bytes, std::uint64_t& barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared(to)),
                 "l"(from), "r"(bytes), "r"(shared(&barrier))
                 : "memory");
}

// ---- products ----------------------------------------------------------------------------------------------------

/// A matrix along k: rows of 128 bytes with a swizzle of 128 bytes, or, without one, of 16 bytes.
__device__ inline std::uint64_t described(void const* p, bool is_swizzled = true) {
    std::uint64_t const start = shared(p) >> 4 & 0x3fff, eight_rows = is_swizzled ? 64 : 8, version = 1,
                        swizzle = is_swizzled ? 2 : 0;
    return start | std::uint64_t{1} << 16 | eight_rows << 32 | version << 46 | swizzle << 61;
}

/// Of f16 with sums in f32, of so many rows and columns.
__device__ constexpr std::uint32_t product_f16(int m, int n) {
    return 1u << 4 | static_cast<std::uint32_t>(n / 8) << 17 | static_cast<std::uint32_t>(m / 16) << 24;
}
/// Of e2m1 with scales in ue8m0, of which the word's lower or upper two bytes are taken.
__device__ constexpr std::uint32_t product_mxf4(int m, int n, bool are_upper) {
    std::uint32_t const id = are_upper ? 2 : 0;
    return id << 4 | 1u << 7 | 1u << 10 | static_cast<std::uint32_t>(n / 8) << 17 | 1u << 23 |
           static_cast<std::uint32_t>(m / 16) << 24 | id << 29;
}

template <int ctas>
__device__ void multiply_f16(std::uint32_t d, std::uint64_t a, std::uint64_t b, std::uint32_t product, bool adds) {
    if constexpr (ctas == 1)
        asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %4, 0;\n\t"
                     "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, adds;\n\t}" ::"r"(d),
                     "l"(a), "l"(b), "r"(product), "r"(static_cast<int>(adds))
                     : "memory");
    else
        asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %4, 0;\n\t"
                     "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, adds;\n\t}" ::"r"(d),
                     "l"(a), "l"(b), "r"(product), "r"(static_cast<int>(adds))
                     : "memory");
}
__device__ inline void multiply_mxf4(std::uint32_t d, std::uint64_t a, std::uint64_t b, std::uint32_t product,
                                     std::uint32_t scales_of_a, std::uint32_t scales_of_b, bool adds) {
    asm volatile(
        "{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %6, 0;\n\t"
        "tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%0], %1, %2, %3, [%4], [%5], adds;\n\t}" ::"r"(d),
        "l"(a), "l"(b), "r"(product), "r"(scales_of_a), "r"(scales_of_b), "r"(static_cast<int>(adds))
        : "memory");
}

/// An arrival when all that this thread has had multiplied and copied is done; of a pair, at the barriers of both.
template <int ctas> __device__ void commit(std::uint64_t& barrier) {
    if constexpr (ctas == 1)
        asm volatile(
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared(&barrier))
            : "memory");
    else
        asm volatile("{\n\t.reg .b16 both;\n\tmov.b16 both, 3;\n\t"
                     "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
                     "[%0], both;\n\t}" ::"r"(shared(&barrier))
                     : "memory");
}

}  // namespace blackwell
