#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/version.hpp"
#include "runtime/cuda/streams/allocation.hpp"

#include <cstring>

using namespace warpsim::cuda;

namespace {

template <class F> cudaError_t allocated(void** out, F&& work) {
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = work(process);
    });
}

cudaError_t allocated_in_order(void** out, std::size_t bytes, cudaStream_t stream) {
    return allocated(out,
                     [&](Process& process) { return allocate_in_order(process, bytes, *process.stream(stream)); });
}

cudaError_t freed_in_order(void* pointer, cudaStream_t stream) {
    return call([&](Process& process) { free_in_order(process, pointer, *process.stream(stream)); });
}

int type_of(std::optional<MemoryRange> const& range) {
    if (!range) return 0;
    switch (range->kind) {
        case MemoryKind::host:
        case MemoryKind::registered: return 1;
        case MemoryKind::managed:
        case MemoryKind::managed_variable: return 3;
        case MemoryKind::device:
        case MemoryKind::variable: break;
    }
    return 2;
}

}  // namespace

WARPSIM_API cudaError_t cudaMalloc(void** out, std::size_t bytes) {
    Arguments const said(out, bytes);
    return allocated(out, [&](Process& process) { return allocate(process, MemoryKind::device, bytes); });
}

WARPSIM_API cudaError_t cudaFree(void* pointer) {
    Arguments const said(pointer);
    return call([&](Process& process) { free_device(process, pointer); });
}

WARPSIM_API cudaError_t cudaMallocManaged(void** out, std::size_t bytes, unsigned flags) {
    Arguments const said(out, bytes, flags);
    return allocated(out, [&](Process& process) { return allocate_managed(process, bytes, flags); });
}

WARPSIM_API cudaError_t cudaMallocHost(void** out, std::size_t bytes) {
    Arguments const said(out, bytes);
    return allocated(out, [&](Process& process) { return allocate_host(process, bytes, 0); });
}

WARPSIM_API cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned flags) {
    Arguments const said(out, bytes, flags);
    return allocated(out, [&](Process& process) { return allocate_host(process, bytes, flags); });
}

WARPSIM_API cudaError_t cudaFreeHost(void* pointer) {
    Arguments const said(pointer);
    return call([&](Process& process) { free_host(process, pointer); });
}

WARPSIM_API cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    Arguments const said(pointer, bytes, flags);
    return call([&](Process& process) { process.memory.add_registered(address(pointer), bytes, flags); });
}

WARPSIM_API cudaError_t cudaHostUnregister(void* pointer) {
    Arguments const said(pointer);
    return call([&](Process& process) { unregister_host(process, pointer); });
}

WARPSIM_API cudaError_t cudaHostGetDevicePointer(void** out, void* host, unsigned flags) {
    Arguments const said(out, host, flags);
    return call([&](Process& process) {
        int const type = type_of(process.memory.find(address(host)));
        if (flags != 0 || (type != 1 && type != 3)) throw Failure(Result::invalid_value);
        give(out, host);
    });
}

WARPSIM_API cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
    Arguments const said(flags, host);
    return call([&](Process& process) {
        auto const range = process.memory.find(address(host));
        if (type_of(range) != 1) throw Failure(Result::invalid_value);
        give(flags, range->flags | 2u);  // always mapped
    });
}

WARPSIM_API cudaError_t cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
    Arguments const said(out, pitch, width, height);
    return call([&](Process& process) {
        if (out == nullptr || pitch == nullptr) throw Failure(Result::invalid_value);
        Pitched const p = allocate_pitched(process, width, height, 1);
        *out = p.memory;
        *pitch = p.pitch;
    });
}

WARPSIM_API cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
    Arguments const said(out, extent);
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        Pitched const p = allocate_pitched(process, extent.width, extent.height, extent.depth);
        *out = {p.memory, p.pitch, extent.width, extent.height};
    });
}

WARPSIM_API cudaError_t cudaMallocAsync(void** out, std::size_t bytes, cudaStream_t s) {
    Arguments const said(out, bytes, s);
    return allocated_in_order(out, bytes, s);
}
WARPSIM_PER_THREAD(cudaMallocAsync, cudaMallocAsync_ptsz)
WARPSIM_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t s) {
    Arguments const said(pointer, s);
    return freed_in_order(pointer, s);
}
WARPSIM_PER_THREAD(cudaFreeAsync, cudaFreeAsync_ptsz)

WARPSIM_API cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    Arguments const said(free, total);
    return in_context([&](Process& process) {
        Memory::Amount const amount = process.memory.amount(Thread::current().device);
        give(free, amount.free);
        give(total, amount.total);
    });
}

WARPSIM_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, void const* pointer) {
    Arguments const said(out, pointer);
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        auto const range = process.memory.find(address(pointer));
        std::memset(out, 0, sizeof *out);
        out->type = type_of(range);
        out->device = range ? range->device : no_device;
        auto* const same = const_cast<void*>(pointer);
        if (out->type != 0) out->devicePointer = same;
        if (out->type == 1 || out->type == 3 || out->type == 0) out->hostPointer = same;
    });
}
