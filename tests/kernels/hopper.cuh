// Hopper's asynchronous instructions as functions: mbarriers, tensor copies, products of warpgroups.
#pragma once

#include <cstdint>

/// What a tensor copy reads its tensor from: 128 bytes that the host encodes.
struct alignas(64) TensorMap {
    unsigned char bytes[128];
};

namespace hopper {

__device__ inline std::uint32_t shared(void const* p) { return static_cast<std::uint32_t>(__cvta_generic_to_shared(p)); }

// ---- mbarriers ---------------------------------------------------------------------------------------------------

__device__ inline void init(std::uint64_t& barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(&barrier)), "r"(arrivals));
}
/// Initialised barriers may be used by copies and by other CTAs of the cluster, after the barrier of the cluster.
__device__ inline void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline std::uint32_t cluster_rank() {
    std::uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
/// Arrives, and makes the phase wait for so many bytes.
__device__ inline void expect(std::uint64_t& barrier, std::uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&barrier)), "r"(bytes) : "memory");
}
__device__ inline void arrive(std::uint64_t& barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(&barrier)) : "memory");
}
__device__ inline void arrive_at(std::uint64_t& barrier, std::uint32_t rank) {
    asm volatile("{\n\t.reg .b32 there;\n\t"
                 "mapa.shared::cluster.u32 there, %0, %1;\n\t"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n\t}" ::"r"(shared(&barrier)),
                 "r"(rank)
                 : "memory");
}
__device__ inline void wait(std::uint64_t& barrier, std::uint32_t parity) {
    asm volatile("{\n\t.reg .pred done;\n"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t}" ::"r"(shared(&barrier)),
                 "r"(parity)
                 : "memory");
}

/// Which buffer of a ring comes next, and the parity of the phase that it is in.
struct Turn {
    int stage = 0;
    std::uint32_t parity = 0;

    template <int stages> __device__ void next() {
        if (++stage < stages) return;
        stage = 0;
        parity ^= 1;
    }
};

// ---- tensor copies -----------------------------------------------------------------------------------------------

__device__ inline void load_box(void* to, TensorMap const& map, int x, int y, std::uint64_t& barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                 "[%4];" ::"r"(shared(to)),
                 "l"(&map), "r"(x), "r"(y), "r"(shared(&barrier))
                 : "memory");
}
/// To the same place in all CTAs of `mask`; the bytes are counted at the same barrier of each.
__device__ inline void load_box(void* to, TensorMap const& map, int x, int y, std::uint64_t& barrier,
                                std::uint16_t mask) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3}], [%4], %5;" ::"r"(shared(to)),
                 "l"(&map), "r"(x), "r"(y), "r"(shared(&barrier)), "h"(mask)
                 : "memory");
}
/// Pixels from (w, h) of image n on, each moved by the offsets.
__device__ inline void load_pixels(void* to, TensorMap const& map, int channel, int w, int h, int n,
                                   std::uint16_t offset_w, std::uint16_t offset_h, std::uint64_t& barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared(to)),
                 "l"(&map), "r"(channel), "r"(w), "r"(h), "r"(n), "r"(shared(&barrier)), "h"(offset_w), "h"(offset_h)
                 : "memory");
}
__device__ inline void store_box(TensorMap const& map, void const* from, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n\t"
                 "cp.async.bulk.commit_group;" ::"l"(&map),
                 "r"(x), "r"(y), "r"(shared(from))
                 : "memory");
}
/// The sources of all stores may be written again.
__device__ inline void await_stores_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ inline void await_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
/// What threads wrote to shared memory may be read by copies and matrix units.
__device__ inline void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---- warpgroups --------------------------------------------------------------------------------------------------

__device__ inline void warpgroup_sync(int barrier) {
    asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}
template <int count> __device__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count> __device__ void leave_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}

/// A matrix whose rows of 128 bytes lie behind each other, swizzled as tensor copies with a swizzle of 128 bytes leave it.
/// `p` is at a multiple of 1024, or up to 128 bytes behind one: inside of its first row.
__device__ inline std::uint64_t described(void const* p) {
    std::uint64_t const start = shared(p) >> 4 & 0x3fff, eight_rows = 1024 >> 4, swizzle_128 = 1;
    return start | std::uint64_t{1} << 16 | eight_rows << 32 | swizzle_128 << 62;
}

__device__ inline void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int left> __device__ void await() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}

#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9"
#define NUMBERS_32 "{" TEN() ", " TEN(1) ", " TEN(2) ", %30, %31}"
#define NUMBERS_64 "{" TEN() ", " TEN(1) ", " TEN(2) ", " TEN(3) ", " TEN(4) ", " TEN(5) ", %60, %61, %62, %63}"
#define NUMBERS_128                                                                                              \
    "{" TEN() ", " TEN(1) ", " TEN(2) ", " TEN(3) ", " TEN(4) ", " TEN(5) ", " TEN(6) ", " TEN(7) ", "         \
    TEN(8) ", " TEN(9) ", " TEN(10) ", " TEN(11) ", %120, %121, %122, %123, %124, %125, %126, %127}"
#define SUMS_8(i)                                                                                                \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
        "+f"(d[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)

/// 64 rows by 64, 128 or 256 columns: d = a * b, plus d if `adds`. Both matrices are along k.
__device__ inline void multiply_f16(float (&d)[32], std::uint64_t a, std::uint64_t b, bool adds) {
    asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %34, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NUMBERS_32 ", %32, %33, adds, 1, 1, 0, 0;\n\t}"
                 : SUMS_32(0)
                 : "l"(a), "l"(b), "r"(static_cast<int>(adds)));
}
__device__ inline void multiply_f16(float (&d)[64], std::uint64_t a, std::uint64_t b, bool adds) {
    asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %66, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " NUMBERS_64
                 ", %64, %65, adds, 1, 1, 0, 0;\n\t}"
                 : SUMS_32(0), SUMS_32(32)
                 : "l"(a), "l"(b), "r"(static_cast<int>(adds)));
}
__device__ inline void multiply_f16(float (&d)[128], std::uint64_t a, std::uint64_t b, bool adds) {
    asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %130, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 " NUMBERS_128
                 ", %128, %129, adds, 1, 1, 0, 0;\n\t}"
                 : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96)
                 : "l"(a), "l"(b), "r"(static_cast<int>(adds)));
}
/// a from registers; rows of b, of 64 elements, follow k.
__device__ inline void add_product_across(float (&d)[32], std::uint32_t const (&a)[4], std::uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NUMBERS_32
                 ", {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : SUMS_32(0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
__device__ inline void multiply_e4m3(float (&d)[64], std::uint64_t a, std::uint64_t b, bool adds) {
    asm volatile("{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %66, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 " NUMBERS_64 ", %64, %65, adds, 1, 1;\n\t}"
                 : SUMS_32(0), SUMS_32(32)
                 : "l"(a), "l"(b), "r"(static_cast<int>(adds)));
}

#undef SUMS_32
#undef SUMS_8
#undef NUMBERS_128
#undef NUMBERS_64
#undef NUMBERS_32
#undef TEN

}  // namespace hopper
