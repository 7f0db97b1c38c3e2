#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/cuda/streams/allocation.hpp"

#include <cstring>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

CUdeviceptr device_pointer(void* memory) { return number(memory); }

CUresult allocate_on_host(void** out, std::size_t bytes, unsigned flags) {
    return in_context([&](Process& process, Gpu&) {
        if (out == nullptr || bytes == 0) throw Failure(Result::invalid_value);
        *out = allocate_host(process, bytes, flags);
    });
}

CUresult register_on_host(void* memory, std::size_t bytes, unsigned flags) {
    return in_context([&](Process& process, Gpu&) {
        if ((flags & ~0xfu) != 0) throw Failure(Result::invalid_value);
        process.memory.add_registered(number(memory), bytes, flags);
    });
}

bool is_host(MemoryKind kind) { return kind == MemoryKind::host || kind == MemoryKind::registered; }
bool is_managed(MemoryKind kind) { return kind == MemoryKind::managed || kind == MemoryKind::managed_variable; }

}  // namespace

WARPSIM_API CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    Arguments const said(free, total);
    return in_context([&](Process& process, Gpu const& gpu) {
        Memory::Amount const amount = process.memory.amount(gpu.ordinal);
        give(free, amount.free);
        give(total, amount.total);
    });
}

WARPSIM_API CUresult cuMemAlloc_v2(CUdeviceptr* out, std::size_t bytes) {
    Arguments const said(out, bytes);
    return in_context([&](Process& process, Gpu&) {
        if (out == nullptr || bytes == 0) throw Failure(Result::invalid_value);
        *out = device_pointer(allocate(process, MemoryKind::device, bytes));
    });
}

WARPSIM_API CUresult cuMemAllocPitch_v2(CUdeviceptr* out, std::size_t* pitch, std::size_t width,
                                        std::size_t height, unsigned element_bytes) {
    Arguments const said(out, pitch, width, height, element_bytes);
    return in_context([&](Process& process, Gpu&) {
        bool const is_size = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
        if (out == nullptr || pitch == nullptr || width == 0 || height == 0 || !is_size)
            throw Failure(Result::invalid_value);
        Pitched const p = allocate_pitched(process, width, height, 1);
        *out = device_pointer(p.memory);
        *pitch = p.pitch;
    });
}

WARPSIM_API CUresult cuMemAllocManaged(CUdeviceptr* out, std::size_t bytes, unsigned flags) {
    Arguments const said(out, bytes, flags);
    return in_context([&](Process& process, Gpu&) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = device_pointer(allocate_managed(process, bytes, flags));
    });
}

WARPSIM_API CUresult cuMemFree_v2(CUdeviceptr address) {
    Arguments const said(address);
    return in_context([&](Process& process, Gpu&) { free_device(process, pointer(address)); });
}

WARPSIM_API CUresult cuMemAllocHost_v2(void** out, std::size_t bytes) {
    Arguments const said(out, bytes);
    return allocate_on_host(out, bytes, 0);
}
WARPSIM_API CUresult cuMemHostAlloc(void** out, std::size_t bytes, unsigned flags) {
    Arguments const said(out, bytes, flags);
    return allocate_on_host(out, bytes, flags);
}
WARPSIM_API CUresult cuMemFreeHost(void* memory) {
    Arguments const said(memory);
    return in_context([&](Process& process, Gpu&) { free_host(process, memory); });
}
WARPSIM_API CUresult cuMemHostRegister(void* memory, std::size_t bytes, unsigned flags) {
    Arguments const said(memory, bytes, flags);
    return register_on_host(memory, bytes, flags);
}
WARPSIM_API CUresult cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned flags) {
    Arguments const said(memory, bytes, flags);
    return register_on_host(memory, bytes, flags);
}
WARPSIM_API CUresult cuMemHostUnregister(void* memory) {
    Arguments const said(memory);
    return in_context([&](Process& process, Gpu&) { unregister_host(process, memory); });
}
WARPSIM_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* out, void* memory, unsigned flags) {
    Arguments const said(out, memory, flags);
    return in_context([&](Process& process, Gpu&) {
        auto const range = process.memory.find(number(memory));
        if (flags != 0 || !range || !is_host(range->kind)) throw Failure(Result::invalid_value);
        give(out, device_pointer(memory));
    });
}
WARPSIM_API CUresult cuMemHostGetFlags(unsigned* out, void* memory) {
    Arguments const said(out, memory);
    constexpr unsigned always_mapped = 2;
    return in_context([&](Process& process, Gpu&) {
        auto const range = process.memory.find(number(memory));
        if (!range || !is_host(range->kind)) throw Failure(Result::invalid_value);
        give(out, range->flags | always_mapped);
    });
}

WARPSIM_API CUresult cuMemAllocAsync(CUdeviceptr* out, std::size_t bytes, CUstream s) {
    Arguments const said(out, bytes, s);
    return in_stream(s, [&](Process& process, Stream& stream) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = device_pointer(allocate_in_order(process, bytes, stream));
    });
}
WARPSIM_PER_THREAD(cuMemAllocAsync, cuMemAllocAsync_ptsz)

WARPSIM_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream s) {
    Arguments const said(address, s);
    return in_stream(s,
                     [&](Process& process, Stream& stream) { free_in_order(process, pointer(address), stream); });
}
WARPSIM_PER_THREAD(cuMemFreeAsync, cuMemFreeAsync_ptsz)

WARPSIM_API CUresult cuMemGetAddressRange_v2(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address) {
    Arguments const said(begin, bytes, address);
    return in_context([&](Process& process, Gpu&) {
        auto const range = process.memory.find(address);
        if (!range || range->kind == MemoryKind::registered) throw Failure(Result::not_found);
        if (begin != nullptr) *begin = range->begin;
        if (bytes != nullptr) *bytes = range->size;
    });
}

namespace {

enum PointerAttribute : int {
    context = 1,
    memory_type = 2,
    device_address = 3,
    host_address = 4,
    synchronous_copies = 6,
    buffer_id = 7,
    managed = 8,
    device_ordinal = 9,
    can_be_shared = 10,
    range_begin = 11,
    range_size = 12,
    mapped = 13,
    handle_types = 14,
    direct_access = 15,
    access_flags = 16,
    pool = 17,
    mapping_size = 18,
    mapping_begin = 19,
    block_id = 20,
    decompression = 21,
};

template <class T, class V> void put(void* out, V value) {
    T const typed = static_cast<T>(value);
    std::memcpy(out, &typed, sizeof typed);
}

/// Writes an attribute of a known address.
void put_attribute(void* out, int attribute, std::uint64_t address, MemoryRange const& range) {
    switch (attribute) {
        case context: return put<std::uint64_t>(out, number(range.context));
        case memory_type: return put<unsigned>(out, is_host(range.kind) ? host_memory : device_memory);
        case device_address: return put<std::uint64_t>(out, address);
        case host_address:
            // Here the host could use device memory, but programs ask for a host pointer because they want to use
            // it.
            if (!is_host(range.kind) && !is_managed(range.kind)) throw Failure(Result::invalid_value);
            return put<std::uint64_t>(out, address);
        case buffer_id:
        case block_id: return put<std::uint64_t>(out, range.id);
        case managed: return put<unsigned>(out, is_managed(range.kind));
        case device_ordinal: return put<int>(out, range.device);
        case range_begin:
        case mapping_begin: return put<std::uint64_t>(out, range.begin);
        case range_size:
        case mapping_size: return put<std::uint64_t>(out, range.size);
        case mapped: return put<unsigned>(out, 1u);
        case handle_types: return put<std::uint64_t>(out, 0u);
        case access_flags: return put<unsigned>(out, 3u);
        case pool: return put<std::uint64_t>(out, range.pool);
        case synchronous_copies:
        case can_be_shared:
        case direct_access:
        case decompression: return put<unsigned>(out, 0u);
        default: throw Failure(Result::invalid_value);
    }
}

}  // namespace

WARPSIM_API CUresult cuPointerGetAttribute(void* out, int attribute, CUdeviceptr address) {
    Arguments const said(out, attribute, address);
    return in_context([&](Process& process, Gpu&) {
        auto const range = process.memory.find(address);
        if (out == nullptr || !range) throw Failure(Result::invalid_value);
        put_attribute(out, attribute, address, *range);
    });
}

WARPSIM_API CUresult cuPointerGetAttributes(unsigned count, int* attributes, void** out, CUdeviceptr address) {
    Arguments const said(count, attributes, out, address);
    return in_context([&](Process& process, Gpu&) {
        if (count == 0 || attributes == nullptr || out == nullptr) throw Failure(Result::invalid_value);
        auto const range = process.memory.find(address);
        for (unsigned i = 0; i < count; ++i) {
            bool const is_wide = attributes[i] == context || attributes[i] == device_address ||
                                 attributes[i] == host_address || attributes[i] == buffer_id ||
                                 attributes[i] == range_begin || attributes[i] == range_size ||
                                 attributes[i] == handle_types || attributes[i] >= pool;
            if (out[i] == nullptr || attributes[i] < 1 || attributes[i] > decompression)
                throw Failure(Result::invalid_value);
            // Attributes that an unknown address does not have are null.
            if (attributes[i] == device_ordinal && !range) put<int>(out[i], no_device);
            else if (!range ||
                     (attributes[i] == host_address && !is_host(range->kind) && !is_managed(range->kind)))
                std::memset(out[i], 0, is_wide && attributes[i] != decompression ? 8 : 4);
            else put_attribute(out[i], attributes[i], address, *range);
        }
    });
}

WARPSIM_API CUresult cuPointerSetAttribute(void const* value, int attribute, CUdeviceptr address) {
    Arguments const said(value, attribute, address);
    return in_context([&](Process& process, Gpu&) {
        // Copies of such memory are synchronous anyway.
        bool const is_known = process.memory.find(address).has_value();
        if (value == nullptr || attribute != synchronous_copies || !is_known) throw Failure(Result::invalid_value);
    });
}
