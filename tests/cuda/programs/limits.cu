// What a program may set of a device: the stack, the printf buffer, the heap; and what kernels then find.
// output: 5
#include "check.hpp"
#include <vector>

__device__ int deep(int n, volatile int* sink) {
    volatile int frame[64];
    for (int i = 0; i < 64; ++i) frame[i] = n + i;
    if (n == 0) return frame[*sink & 63];
    return deep(n - 1, sink) + frame[(n + *sink) & 63];
}
__global__ void recurse(int depth, int* out) {
    volatile int zero = 0;
    *out = deep(depth, &zero);
}
__global__ void take(std::size_t bytes, int* got) {
    void* const p = malloc(bytes);
    *got = p != nullptr;
    free(p);
}
__global__ void tell(int n) { printf("%d\n", n); }

int host_deep(int n) { return n == 0 ? 0 : host_deep(n - 1) + n + (n & 63); }

int main() {
    std::size_t value = 0;
    OK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    CHECK(value == std::size_t{8} << 20);
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    CHECK(value >= 1024);
    OK(cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount));
    CHECK(value == 2048);
    IS(cudaDeviceGetLimit(&value, static_cast<cudaLimit>(77)), cudaErrorUnsupportedLimit);
    IS(cudaDeviceGetLimit(nullptr, cudaLimitStackSize), cudaErrorInvalidValue);
    IS(cudaDeviceSetLimit(cudaLimitStackSize, std::size_t{1} << 40), cudaErrorInvalidValue);
    OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    OK(cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount));
    CHECK(value == 4096);
    OK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 128));
    IS(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 256), cudaErrorInvalidValue);
    cudaGetLastError();

    // Textures' sizes, and what could once be chosen.
    int width = 0;
    OK(cudaDeviceGetAttribute(&width, cudaDevAttrMaxTexture2DWidth, 0));
    CHECK(width >= 65536);
    cudaChannelFormatDesc const texel = cudaCreateChannelDesc<float4>();
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&value, &texel, 0));
    CHECK(value >= std::size_t{1} << 27);
    OK(cudaCtxResetPersistingL2Cache());
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
    OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    OK(cudaDeviceGetSharedMemConfig(&banks));
    CHECK(banks == cudaSharedMemBankSizeFourByte);
    OK(cudaFuncSetSharedMemConfig((void const*)recurse, cudaSharedMemBankSizeDefault));
    IS(cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(9)), cudaErrorInvalidValue);
    cudaGetLastError();

    int* out = nullptr;
    OK(cudaMallocManaged(&out, 4));
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 128 * 1024));
    recurse<<<1, 1>>>(200, out);
    OK(cudaDeviceSynchronize());
    CHECK(*out == host_deep(200));

    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{64} << 20));
    take<<<1, 1>>>(std::size_t{48} << 20, out);
    OK(cudaDeviceSynchronize());
    CHECK(*out == 1);
    take<<<1, 1>>>(std::size_t{65} << 20, out);
    OK(cudaDeviceSynchronize());
    CHECK(*out == 0);
    IS(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{128} << 20), cudaErrorInvalidValue);   // too late
    OK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    CHECK(value == std::size_t{64} << 20);

    OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096));
    OK(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
    CHECK(value == 4096);
    tell<<<1, 1>>>(5);
    OK(cudaDeviceSynchronize());
    IS(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20), cudaErrorInvalidValue);
    cudaGetLastError();

    OK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    recurse<<<1, 1>>>(200, out);      // deeper than that
    IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return result();
}
