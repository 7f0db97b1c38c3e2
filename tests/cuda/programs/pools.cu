// Memory pools: the device's own and a program's, what they tell of their use, and their limits.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <cstdint>

__global__ void fill(int* p, int n, int v) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = v + i;
}

// Pools of the host's memory and of managed memory: kernels and the host reach what comes from them.
static void of_other_kinds(cudaStream_t stream) {
    struct {
        cudaMemLocation location;
        cudaMemAllocationType type;
        cudaMemoryType kind;
    } const wanted[] = {{{cudaMemLocationTypeHost, 0}, cudaMemAllocationTypePinned, cudaMemoryTypeHost},
                        {{cudaMemLocationTypeHostNuma, 0}, cudaMemAllocationTypePinned, cudaMemoryTypeHost},
                        {{cudaMemLocationTypeDevice, 0}, cudaMemAllocationTypeManaged, cudaMemoryTypeManaged}};
    for (auto const& w : wanted) {
        cudaMemPoolProps p{};
        p.allocType = w.type;
        p.location = w.location;
        cudaMemPool_t pool;
        int* values;
        std::uint64_t used = 0;
        OK(cudaMemPoolCreate(&pool, &p));
        OK(cudaMallocFromPoolAsync((void**)&values, 100 * sizeof(int), pool, stream));
        OK(cudaStreamSynchronize(stream));
        for (int i = 0; i < 100; ++i) values[i] = -1;
        fill<<<1, 128, 0, stream>>>(values, 100, 7);
        OK(cudaStreamSynchronize(stream));
        for (int i = 0; i < 100; ++i) CHECK(values[i] == 7 + i);
        cudaPointerAttributes about;
        OK(cudaPointerGetAttributes(&about, values));
        CHECK(about.type == w.kind);
        OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
        CHECK(used == 400);
        cudaMemAccessFlags flags;
        cudaMemLocation device{cudaMemLocationTypeDevice, 0};
        OK(cudaMemPoolGetAccess(&flags, pool, &device));
        CHECK(flags == cudaMemAccessFlagsProtReadWrite);
        OK(cudaFreeAsync(values, stream));
        OK(cudaStreamSynchronize(stream));
        OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
        CHECK(used == 0);
        OK(cudaMemPoolDestroy(pool));
    }
    cudaMemLocation host{cudaMemLocationTypeHost, 0}, nowhere{cudaMemLocationTypeHostNuma, 99};
    cudaMemPool_t first, same;
    OK(cudaMemGetDefaultMemPool(&first, &host, cudaMemAllocationTypePinned));
    OK(cudaMemGetMemPool(&same, &host, cudaMemAllocationTypePinned));
    CHECK(first == same);
    IS(cudaMemGetDefaultMemPool(&same, &nowhere, cudaMemAllocationTypePinned), cudaErrorInvalidValue);
    IS(cudaDeviceSetMemPool(0, first), cudaErrorInvalidValue);      // of another place
    // What is of no pool is not freed in a stream's order.
    int* pinned;
    OK(cudaMallocHost(&pinned, 64));
    IS(cudaFreeAsync(pinned, stream), cudaErrorInvalidValue);
    OK(cudaFreeHost(pinned));
}

int main() {
    cudaMemPool_t own, current, made;
    OK(cudaDeviceGetDefaultMemPool(&own, 0));
    OK(cudaDeviceGetMemPool(&current, 0));
    CHECK(own == current);
    std::uint64_t threshold = ~std::uint64_t{0}, used = 1, reserved = 1;
    OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
    threshold = 0;
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(threshold == ~std::uint64_t{0});
    int reuse = 0;
    OK(cudaMemPoolSetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse));
    reuse = 7;
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse));
    CHECK(reuse == 0);
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    void *a, *b, *c;
    // No bytes are no memory and no error, and nothing to free.
    a = &own;
    OK(cudaMallocAsync(&a, 0, stream));
    CHECK(a == nullptr);
    OK(cudaFreeAsync(a, stream));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 0);
    OK(cudaMallocAsync(&a, 1000, stream));
    OK(cudaMallocAsync(&b, 3000000, stream));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReservedMemCurrent, &reserved));
    CHECK(used >= 3001000 && reserved >= used);
    OK(cudaFreeAsync(a, stream));
    OK(cudaFreeAsync(b, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReservedMemCurrent, &reserved));
    CHECK(used == 0 && reserved >= 3001000);
    OK(cudaMemPoolTrimTo(own, 0));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReservedMemCurrent, &reserved));
    CHECK(reserved == 0);
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &used));
    CHECK(used >= 3001000);
    used = 5;
    IS(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &used), cudaErrorInvalidValue);
    used = 0;
    OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &used));

    cudaMemPoolProps p{};
    p.allocType = cudaMemAllocationTypePinned;
    p.location = {cudaMemLocationTypeDevice, 0};
    p.maxSize = 4096;
    OK(cudaMemPoolCreate(&made, &p));
    OK(cudaMallocFromPoolAsync(&a, 3000, made, stream));
    IS(cudaMallocFromPoolAsync(&b, 3000, made, stream), cudaErrorMemoryAllocation);
    OK(cudaMemsetAsync(a, 1, 3000, stream));
    OK(cudaDeviceSetMemPool(0, made));
    OK(cudaMallocAsync(&c, 1000, stream));
    OK(cudaMemPoolGetAttribute(made, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 4000);
    OK(cudaFree(a));                         // a call without a stream is as good
    OK(cudaFreeAsync(c, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemPoolGetAttribute(made, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 0);
    cudaMemAccessFlags flags;
    OK(cudaMemPoolGetAccess(&flags, made, &p.location));
    CHECK(flags == cudaMemAccessFlagsProtReadWrite);
    OK(cudaMemPoolDestroy(made));
    OK(cudaDeviceGetMemPool(&current, 0));
    CHECK(current == own);
    IS(cudaMemPoolDestroy(made), cudaErrorInvalidValue);
    IS(cudaMemPoolDestroy(own), cudaErrorInvalidValue);
    IS(cudaMemPoolTrimTo(made, 0), cudaErrorInvalidValue);
    IS(cudaMallocFromPoolAsync(&b, 30, made, stream), cudaErrorInvalidValue);
    p.allocType = cudaMemAllocationTypeInvalid;
    IS(cudaMemPoolCreate(&made, &p), cudaErrorInvalidValue);
    cudaGetLastError();
    of_other_kinds(stream);
    return result();
}
