// Memory pools: the device's own and a program's, what they tell of their use, and their limits.
#include "check.hpp"
#include <cstdint>

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
    return result();
}
