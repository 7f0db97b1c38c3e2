// Calls of the runtime that need a context make the device's own the calling thread's, where the driver's interface finds it.
#include "check.hpp"

#include <cuda.h>
#include <thread>

__global__ void nothing() {}
__device__ int variable;

typedef CUresult (*GetCurrent)(CUcontext*);
static GetCurrent get_current;

template <class F> static bool binds(F&& call) {
    CUcontext before = nullptr, after = nullptr;
    std::thread([&] {
        get_current(&before);
        OK(call());
        get_current(&after);
    }).join();
    CHECK(before == nullptr);
    return after != nullptr;
}

int main() {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status;
    OK(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &found, 12000, cudaEnableDefault, &status));
    get_current = reinterpret_cast<GetCurrent>(found);

    int device = 0, count = 0, low = 0, high = 0, value = 0;
    std::size_t free = 0, total = 0;
    void* memory = nullptr;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    cudaArray_t array;
    cudaChannelFormatDesc const format = cudaCreateChannelDesc<float>();

    CHECK(!binds([&] { return cudaGetDevice(&device); }));
    CHECK(!binds([&] { return cudaGetDeviceCount(&count); }));
    CHECK(!binds([&] { return cudaGetDeviceProperties(&properties, 0); }));
    CHECK(!binds([&] { return cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0); }));

    CHECK(binds([&] { return cudaSetDevice(0); }));
    CHECK(binds([&] { return cudaFree(nullptr); }));
    CHECK(binds([&] { return cudaMemGetInfo(&free, &total); }));
    CHECK(binds([&] { return cudaDeviceSynchronize(); }));
    CHECK(binds([&] { return cudaDeviceGetLimit(&total, cudaLimitStackSize); }));
    CHECK(binds([&] { return cudaDeviceGetStreamPriorityRange(&low, &high); }));
    CHECK(binds([&] { return cudaMalloc(&memory, 64); }));
    CHECK(binds([&] { return cudaMemset(memory, 0, 64); }));
    CHECK(binds([&] { return cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost); }));
    CHECK(binds([&] { return cudaMemcpyToSymbol(variable, &value, 4); }));
    CHECK(binds([&] { return cudaFree(memory); }));
    CHECK(binds([&] { return cudaMallocManaged(&memory, 64); }));
    CHECK(binds([&] { return cudaFree(memory); }));
    CHECK(binds([&] { return cudaMallocHost(&memory, 64); }));
    CHECK(binds([&] { return cudaFreeHost(memory); }));
    CHECK(binds([&] { return cudaMallocArray(&array, &format, 8); }));
    CHECK(binds([&] { return cudaFreeArray(array); }));
    CHECK(binds([&] { return cudaMallocAsync(&memory, 64, nullptr); }));
    CHECK(binds([&] { return cudaFreeAsync(memory, nullptr); }));
    CHECK(binds([&] { return cudaStreamCreate(&stream); }));
    CHECK(binds([&] { return cudaStreamQuery(stream); }));
    CHECK(binds([&] { return cudaEventCreate(&event); }));
    CHECK(binds([&] { return cudaEventRecord(event, stream); }));
    CHECK(binds([&] { return cudaStreamWaitEvent(stream, event, 0); }));
    CHECK(binds([&] { return cudaEventSynchronize(event); }));
    CHECK(binds([&] { return cudaStreamSynchronize(stream); }));
    CHECK(binds([&] { return cudaFuncGetAttributes(&attributes, nothing); }));
    CHECK(binds([&] {
        nothing<<<1, 1>>>();
        return cudaGetLastError();
    }));
    return result();
}
