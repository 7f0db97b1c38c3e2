#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/streams/allocation.hpp"

#include <cstring>

using namespace warpsim::cuda;

namespace {

template <class F> cudaError_t allocated(void** out, F&& work) {
    return call([&] {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = work();
    });
}

cudaError_t allocated_in_order(void** out, std::size_t bytes, cudaStream_t stream) {
    return allocated(out, [&] { return allocate_in_order(bytes, *Process::get().stream(stream)); });
}

cudaError_t freed_in_order(void* pointer, cudaStream_t stream) {
    return call([&] { free_in_order(pointer, *Process::get().stream(stream)); });
}

int type_of(std::optional<Range> const& range) {
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
    return allocated(out, [&] { return allocate(MemoryKind::device, bytes); });
}

WARPSIM_API cudaError_t cudaFree(void* pointer) {
    return call([&] { free_device(pointer); });
}

WARPSIM_API cudaError_t cudaMallocManaged(void** out, std::size_t bytes, unsigned flags) {
    return allocated(out, [&] { return allocate_managed(bytes, flags); });
}

WARPSIM_API cudaError_t cudaMallocHost(void** out, std::size_t bytes) {
    return allocated(out, [&] { return allocate_host(bytes, 0); });
}

WARPSIM_API cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned flags) {
    return allocated(out, [&] { return allocate_host(bytes, flags); });
}

WARPSIM_API cudaError_t cudaFreeHost(void* pointer) {
    return call([&] { free_host(pointer); });
}

WARPSIM_API cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    return call([&] { Process::get().memory.add_registered(address(pointer), bytes, flags); });
}

WARPSIM_API cudaError_t cudaHostUnregister(void* pointer) {
    return call([&] { unregister_host(pointer); });
}

WARPSIM_API cudaError_t cudaHostGetDevicePointer(void** out, void* host, unsigned flags) {
    return call([&] {
        int const type = type_of(Process::get().memory.find(address(host)));
        if (flags != 0 || (type != 1 && type != 3)) throw Failure(Result::invalid_value);
        give(out, host);
    });
}

WARPSIM_API cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
    return call([&] {
        auto const range = Process::get().memory.find(address(host));
        if (type_of(range) != 1) throw Failure(Result::invalid_value);
        give(flags, range->flags | 2u);  // always mapped
    });
}

WARPSIM_API cudaError_t cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
    return call([&] {
        if (out == nullptr || pitch == nullptr) throw Failure(Result::invalid_value);
        Pitched const p = allocate_pitched(width, height, 1);
        *out = p.memory;
        *pitch = p.pitch;
    });
}

WARPSIM_API cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
    return call([&] {
        if (out == nullptr) throw Failure(Result::invalid_value);
        Pitched const p = allocate_pitched(extent.width, extent.height, extent.depth);
        *out = {p.memory, p.pitch, extent.width, extent.height};
    });
}

WARPSIM_API cudaError_t cudaMallocAsync(void** out, std::size_t bytes, cudaStream_t s) {
    return allocated_in_order(out, bytes, s);
}
WARPSIM_PER_THREAD(cudaMallocAsync, _ptsz)
WARPSIM_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t s) { return freed_in_order(pointer, s); }
WARPSIM_PER_THREAD(cudaFreeAsync, _ptsz)

WARPSIM_API cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    return call([&] {
        Memory::Amount const amount = Process::get().memory.amount(Thread::current().device);
        give(free, amount.free);
        give(total, amount.total);
    });
}

WARPSIM_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, void const* pointer) {
    return call([&] {
        if (out == nullptr) throw Failure(Result::invalid_value);
        auto const range = Process::get().memory.find(address(pointer));
        std::memset(out, 0, sizeof *out);
        out->type = type_of(range);
        out->device = range ? range->device : no_device;
        auto* const same = const_cast<void*>(pointer);
        if (out->type != 0) out->devicePointer = same;
        if (out->type == 1 || out->type == 3 || out->type == 0) out->hostPointer = same;
    });
}

#include "runtime/cuda/interface/managed.hpp"
