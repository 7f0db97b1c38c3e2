// Clusters: a chain of loads from the shared memory of the other CTA of a pair.
#include "clock.cuh"

extern "C" __global__ void __cluster_dims__(2) chase_cluster(Reading* out, unsigned rounds) {
    __shared__ unsigned here;
    unsigned const mine = static_cast<unsigned>(__cvta_generic_to_shared(&here));
    unsigned rank, there;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(rank ^ 1));
    // What is loaded from `there` is its own address.
    asm volatile("st.shared::cluster.u32 [%0], %0;" : : "r"(there) : "memory");
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" : : : "memory");
    unsigned begin = 0, between = 0, end = 0;
    if (rank == 0) {
        _Pragma("unroll 1") for (unsigned r = 0; r < rounds; ++r) {
            asm volatile(TIMES8("ld.shared::cluster.u32 %0, [%0];") : "+r"(there) : : "memory");
            begin = clock_now();
            asm volatile(TIMES8("ld.shared::cluster.u32 %0, [%0];") : "+r"(there) : : "memory");
            between = clock_now();
            asm volatile(TIMES2(TIMES8("ld.shared::cluster.u32 %0, [%0];")) : "+r"(there) : : "memory");
            end = clock_now();
        }
        report(out, begin, between, end, 8);
        reinterpret_cast<Cycles*>(out + 1)[0] = there;
    }
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" : : : "memory");
}
