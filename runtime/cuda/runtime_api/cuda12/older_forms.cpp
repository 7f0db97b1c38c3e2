// What CUDA 13 no longer has: first forms of functions, and functions of threads from before CUDA 4.
#include "runtime/cuda/graphs/calls.hpp"
#include "runtime/cuda/memory/managed.hpp"
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/properties.hpp"
#include "runtime/cuda/streams/copy_batches.hpp"

#include <cstring>

using namespace warpsim::cuda;

// The newest forms, and functions that are older than any form.
extern "C" {
cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaGraphAddDependencies_v2(void* graph, void* const* from, void* const* to, EdgeData const* data,
                                        std::size_t count);
cudaError_t cudaGraphAddNode_v2(void** out, void* graph, void* const* after, EdgeData const* data,
                                std::size_t count, NodeParameters* p);
cudaError_t cudaGraphGetEdges_v2(void* graph, void** from, void** to, EdgeData* data, std::size_t* count);
cudaError_t cudaGraphNodeGetDependencies_v2(void* node, void** out, EdgeData* data, std::size_t* count);
cudaError_t cudaGraphNodeGetDependentNodes_v2(void* node, void** out, EdgeData* data, std::size_t* count);
cudaError_t cudaGraphRemoveDependencies_v2(void* graph, void* const* from, void* const* to, EdgeData const* data,
                                           std::size_t count);
cudaError_t cudaMemAdvise_v2(std::uint64_t address, std::size_t bytes, int advice, MemoryPlace place);
cudaError_t cudaMemPrefetchAsync_v2(std::uint64_t address, std::size_t bytes, MemoryPlace place, unsigned flags,
                                    void* stream);
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t s, int* status, unsigned long long* id, void** graph,
                                        void const* const** nodes, EdgeData const** data, std::size_t* count);
cudaError_t cudaStreamUpdateCaptureDependencies_v2(void* stream, void* const* nodes, EdgeData const* data,
                                                   std::size_t count, unsigned flags);
cudaError_t cudaDeviceGetCacheConfig(int* config);
cudaError_t cudaDeviceGetLimit(std::size_t* value, int number);
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSetCacheConfig(int config);
cudaError_t cudaDeviceSetLimit(int number, std::size_t value);
cudaError_t cudaDeviceSynchronize();
}

namespace {

/// A device, or the host for -1.
MemoryPlace place_of(int device) {
    constexpr int host = -1, on_device = 1, on_host = 2;
    return device == host ? MemoryPlace{on_host, 0} : MemoryPlace{on_device, device};
}

}  // namespace

/// What CUDA 11 knew of a device: the same, without what follows the shared memory that is reserved.
WARPSIM_API cudaError_t cudaGetDeviceProperties(void* out, int device) {
    Arguments const said(out, device);
    constexpr std::size_t known_bytes = 728;
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        std::memcpy(out, device_properties(process, device).data(), known_bytes);
    });
}

WARPSIM_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
    Arguments const said(milliseconds, from, to);
    return cudaEventElapsedTime_v2(milliseconds, from, to);
}

// Places of memory as numbers of devices.
WARPSIM_API cudaError_t cudaMemPrefetchAsync(std::uint64_t address, std::size_t bytes, int device, void* stream) {
    Arguments const said(address, bytes, device, stream);
    return cudaMemPrefetchAsync_v2(address, bytes, place_of(device), 0, stream);
}
WARPSIM_PER_THREAD(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz)
WARPSIM_API cudaError_t cudaMemAdvise(std::uint64_t address, std::size_t bytes, int advice, int device) {
    Arguments const said(address, bytes, advice, device);
    return cudaMemAdvise_v2(address, bytes, advice, place_of(device));
}

// Batches that also tell which copy failed. The fifth parameter, the attributes themselves, is not needed.
WARPSIM_API cudaError_t cudaMemcpyBatchAsync(void* const* to, void const* const* from, std::size_t const* sizes,
                                             std::size_t count, void const*, std::size_t const* first_of,
                                             std::size_t attributes, std::size_t* failed, void* stream) {
    Arguments const said(to, from, sizes, count, first_of, attributes, failed, stream);
    return call([&](Process& process) {
        copy_many(process, {to, from, sizes, count, first_of, attributes}, stream, failed);
    });
}
WARPSIM_PER_THREAD(cudaMemcpyBatchAsync, cudaMemcpyBatchAsync_ptsz)
WARPSIM_API cudaError_t cudaMemcpy3DBatchAsync(std::size_t count, BoxCopy const* list, std::size_t* failed,
                                               unsigned long long flags, void* stream) {
    Arguments const said(count, list, failed, flags, stream);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        copy_many(process, list, count, stream, failed);
    });
}
WARPSIM_PER_THREAD(cudaMemcpy3DBatchAsync, cudaMemcpy3DBatchAsync_ptsz)

// Graphs whose edges have no data.
WARPSIM_API cudaError_t cudaGraphAddNode(void** out, void* graph, void* const* after, std::size_t count,
                                         NodeParameters* p) {
    Arguments const said(out, graph, after, count, p);
    return cudaGraphAddNode_v2(out, graph, after, nullptr, count, p);
}
WARPSIM_API cudaError_t cudaGraphAddDependencies(void* graph, void* const* from, void* const* to,
                                                 std::size_t count) {
    Arguments const said(graph, from, to, count);
    return cudaGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
WARPSIM_API cudaError_t cudaGraphRemoveDependencies(void* graph, void* const* from, void* const* to,
                                                    std::size_t count) {
    Arguments const said(graph, from, to, count);
    return cudaGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}
WARPSIM_API cudaError_t cudaGraphGetEdges(void* graph, void** from, void** to, std::size_t* count) {
    Arguments const said(graph, from, to, count);
    return cudaGraphGetEdges_v2(graph, from, to, nullptr, count);
}
WARPSIM_API cudaError_t cudaGraphNodeGetDependencies(void* node, void** out, std::size_t* count) {
    Arguments const said(node, out, count);
    return cudaGraphNodeGetDependencies_v2(node, out, nullptr, count);
}
WARPSIM_API cudaError_t cudaGraphNodeGetDependentNodes(void* node, void** out, std::size_t* count) {
    Arguments const said(node, out, count);
    return cudaGraphNodeGetDependentNodes_v2(node, out, nullptr, count);
}
WARPSIM_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, int* status, unsigned long long* id) {
    Arguments const said(s, status, id);
    return cudaStreamGetCaptureInfo_v3(s, status, id, nullptr, nullptr, nullptr, nullptr);
}
WARPSIM_PER_THREAD(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz)
WARPSIM_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t s, int* status, unsigned long long* id,
                                                    void** graph, void const* const** nodes, std::size_t* count) {
    Arguments const said(s, status, id, graph, nodes, count);
    return cudaStreamGetCaptureInfo_v3(s, status, id, graph, nodes, nullptr, count);
}
WARPSIM_PER_THREAD(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2_ptsz)
WARPSIM_API cudaError_t cudaStreamUpdateCaptureDependencies(void* stream, void* const* nodes, std::size_t count,
                                                            unsigned flags) {
    Arguments const said(stream, nodes, count, flags);
    return cudaStreamUpdateCaptureDependencies_v2(stream, nodes, nullptr, count, flags);
}
WARPSIM_PER_THREAD(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_ptsz)

// Functions of threads, each of which had a context of its own before CUDA 4.
WARPSIM_API cudaError_t cudaThreadExit() {
    Arguments const said;
    return cudaDeviceReset();
}
WARPSIM_API cudaError_t cudaThreadSynchronize() {
    Arguments const said;
    return cudaDeviceSynchronize();
}
WARPSIM_API cudaError_t cudaThreadGetLimit(std::size_t* value, int number) {
    Arguments const said(value, number);
    return cudaDeviceGetLimit(value, number);
}
WARPSIM_API cudaError_t cudaThreadSetLimit(int number, std::size_t value) {
    Arguments const said(number, value);
    return cudaDeviceSetLimit(number, value);
}
WARPSIM_API cudaError_t cudaThreadGetCacheConfig(int* config) {
    Arguments const said(config);
    return cudaDeviceGetCacheConfig(config);
}
WARPSIM_API cudaError_t cudaThreadSetCacheConfig(int config) {
    Arguments const said(config);
    return cudaDeviceSetCacheConfig(config);
}

// Once for devices without doubles. All have them.
WARPSIM_API cudaError_t cudaSetDoubleForDevice(double* value) {
    Arguments const said(value);
    return call([&] {
        if (value == nullptr) throw Failure(Result::invalid_value);
    });
}
WARPSIM_API cudaError_t cudaSetDoubleForHost(double* value) {
    Arguments const said(value);
    return call([&] {
        if (value == nullptr) throw Failure(Result::invalid_value);
    });
}
