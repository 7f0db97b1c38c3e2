#include "runtime/cuda/runtime_api/call.hpp"

#include <cstring>
#include <limits>

using namespace warpsim::cuda;

namespace {

constexpr std::size_t pitch_alignment = 512;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

void allocate(void** out, MemoryKind kind, std::size_t bytes, unsigned flags = 0) {
    if (out == nullptr) throw Failure(Result::invalid_value);
    Process& process = Process::get();
    process.current().check();
    *out = reinterpret_cast<void*>(process.memory.allocate(kind, Thread::current().device, bytes, flags));
}

void allocate_pitched(void** out, std::size_t* pitch, std::size_t width, std::size_t height, std::size_t depth) {
    if (out == nullptr || pitch == nullptr) throw Failure(Result::invalid_value);
    std::size_t const row = round_up(width, pitch_alignment);
    bool const overflows = row < width || (row != 0 && height > std::numeric_limits<std::size_t>::max() / row) ||
                           (row * height != 0 && depth > std::numeric_limits<std::size_t>::max() / (row * height));
    if (overflows) throw Failure(Result::out_of_memory);
    allocate(out, MemoryKind::device, row * height * depth);
    *pitch = row;
}

cudaError_t allocate_in_order(void** out, std::size_t bytes, cudaStream_t stream, bool own) {
    return call([&] {
        Process::get().stream(stream, own);
        allocate(out, MemoryKind::device, bytes);
    });
}

cudaError_t free_in_order(void* pointer, cudaStream_t handle, bool own) {
    return call([&] {
        auto const stream = Process::get().stream(handle, own);
        Memory& memory = Process::get().memory;
        auto const range = memory.find(address(pointer));
        if (pointer == nullptr) return;
        if (!range || range->begin != address(pointer)) throw Failure(Result::invalid_value);
        Process::get().gpu_of(*stream).submit(*stream, [&memory, pointer] {
            memory.free(address(pointer), {MemoryKind::device}, Result::invalid_value);
        });
    });
}

int type_of(std::optional<Range> const& range) {
    if (!range) return 0;
    switch (range->kind) {
    case MemoryKind::host:
    case MemoryKind::registered: return 1;
    case MemoryKind::managed: return 3;
    case MemoryKind::device:
    case MemoryKind::variable: break;
    }
    return 2;
}

}  // namespace

WARPSIM_API cudaError_t cudaMalloc(void** out, std::size_t bytes) {
    return call([&] { allocate(out, MemoryKind::device, bytes); });
}

WARPSIM_API cudaError_t cudaFree(void* pointer) {
    return call([&] {
        Process& process = Process::get();
        // Whatever may still use the memory comes to its end first.
        process.current().wait_all();
        process.memory.free(address(pointer), {MemoryKind::device, MemoryKind::managed}, Result::invalid_value);
    });
}

WARPSIM_API cudaError_t cudaMallocManaged(void** out, std::size_t bytes, unsigned flags) {
    return call([&] {
        if (bytes == 0 || (flags != 1 && flags != 2 && flags != 4)) throw Failure(Result::invalid_value);
        allocate(out, MemoryKind::managed, bytes, flags);
    });
}

WARPSIM_API cudaError_t cudaMallocHost(void** out, std::size_t bytes) {
    return call([&] { allocate(out, MemoryKind::host, bytes); });
}

WARPSIM_API cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned flags) {
    return call([&] {
        if ((flags & ~7u) != 0) throw Failure(Result::invalid_value);
        allocate(out, MemoryKind::host, bytes, flags);
    });
}

WARPSIM_API cudaError_t cudaFreeHost(void* pointer) {
    return call([&] {
        Process::get().current().wait_all();
        Process::get().memory.free(address(pointer), {MemoryKind::host}, Result::invalid_value);
    });
}

WARPSIM_API cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    return call([&] { Process::get().memory.add_registered(address(pointer), bytes, flags); });
}

WARPSIM_API cudaError_t cudaHostUnregister(void* pointer) {
    return call([&] {
        Process::get().current().wait_all();
        Process::get().memory.remove_registered(address(pointer));
    });
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
        give(flags, range->flags | 2u);      // always mapped
    });
}

WARPSIM_API cudaError_t cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
    return call([&] { allocate_pitched(out, pitch, width, height, 1); });
}

WARPSIM_API cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
    return call([&] {
        if (out == nullptr) throw Failure(Result::invalid_value);
        allocate_pitched(&out->ptr, &out->pitch, extent.width, extent.height, extent.depth);
        out->xsize = extent.width;
        out->ysize = extent.height;
    });
}

WARPSIM_API cudaError_t cudaMallocAsync(void** out, std::size_t bytes, cudaStream_t s) {
    return allocate_in_order(out, bytes, s, false);
}
WARPSIM_API cudaError_t cudaMallocAsync_ptsz(void** out, std::size_t bytes, cudaStream_t s) {
    return allocate_in_order(out, bytes, s, true);
}
WARPSIM_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t s) { return free_in_order(pointer, s, false); }
WARPSIM_API cudaError_t cudaFreeAsync_ptsz(void* pointer, cudaStream_t s) { return free_in_order(pointer, s, true); }

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
        out->device = range ? range->device : -1;
        auto* const same = const_cast<void*>(pointer);
        if (out->type != 0) out->devicePointer = same;
        if (out->type == 1 || out->type == 3 || out->type == 0) out->hostPointer = same;
    });
}

// All memory is the host's: where a managed page is makes no difference.
WARPSIM_API cudaError_t cudaMemPrefetchAsync(void const* pointer, std::size_t bytes, cudaMemLocation, unsigned, cudaStream_t s) {
    return call([&] {
        Process::get().stream(s);
        Process::get().memory.check(address(pointer), bytes);
    });
}
WARPSIM_API cudaError_t cudaMemPrefetchAsync_ptsz(void const* pointer, std::size_t bytes, cudaMemLocation, unsigned,
                                                  cudaStream_t s) {
    return call([&] {
        Process::get().stream(s, true);
        Process::get().memory.check(address(pointer), bytes);
    });
}
WARPSIM_API cudaError_t cudaMemAdvise(void const* pointer, std::size_t bytes, int, cudaMemLocation) {
    return call([&] { Process::get().memory.check(address(pointer), bytes); });
}
