// What sm_90 brought: transaction barriers, bulk and tensor copies, clusters, warp-group matrices.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

extern "C" __global__ void bulk(float const* in, float* out) {
    __shared__ alignas(128) float stage[1024];
    __shared__ std::uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage, in, sizeof stage, &barrier);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof stage);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {}
    stage[threadIdx.x] += 1.0f;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, stage, sizeof stage);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
extern "C" __global__ void tensor(const __grid_constant__ CUtensorMap map, int x, int y) {
    __shared__ alignas(128) int tile[8][8];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, barrier);
        cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
    } else {
        (void)barrier.arrive();
    }
    barrier.wait_parity(false);
    tile[threadIdx.x % 8][0] += 1;
    cuda::device::experimental::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
        cuda::device::experimental::cp_async_bulk_commit_group();
        cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
    }
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) remote(int* out) {
    __shared__ int mine;
    __shared__ std::uint64_t barrier;
    if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    unsigned const other = ptx::get_sreg_cluster_ctarank() ^ 1;
    auto const cluster = cooperative_groups::this_cluster();
    ptx::st_async(cluster.map_shared_rank(&mine, other), 42, cluster.map_shared_rank(&barrier, other));
    unsigned elected;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(elected));
    if (elected) *out = mine;
}
#if __CUDA_ARCH_FEAT_SM90_ALL
extern "C" __global__ void warpgroup(unsigned long long a, unsigned long long b, float* out) {
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;");
    asm volatile("wgmma.wait_group.sync.aligned 0;");
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
}
#endif
#endif
