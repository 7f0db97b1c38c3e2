#include "runtime/cuda/memory/virtual_memory.hpp"

#include "runtime/cuda/driver_api/call.hpp"

#include <fcntl.h>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

constexpr int pinned = 1, on_device = 1;
constexpr int file_descriptor = 1;  // of CUmemAllocationHandleType
constexpr int no_access = 0, read_only = 1, read_and_write = 3;

VirtualMemory& virtual_memory(Process& process) { return process.virtual_memory; }

/// Host memory is not simulated here; other processes get memory as a file.
void check_properties(Process& process, CUmemAllocationProp const* p) {
    if (p == nullptr || p->type != pinned) throw Failure(Result::invalid_value);
    bool const is_plain = p->location.type == on_device && p->allocFlags.compressionType == 0;
    if (!is_plain || (p->requestedHandleTypes & ~file_descriptor) != 0) throw Failure(Result::not_supported);
    process.gpu(p->location.id);
}

}  // namespace

WARPSIM_API CUresult cuMemAddressReserve(CUdeviceptr* out, std::size_t bytes, std::size_t alignment,
                                         CUdeviceptr wanted, unsigned long long flags) {
    Arguments const said(out, bytes, alignment, wanted, flags);
    return call([&](Process& process) {
        if (out == nullptr || flags != 0) throw Failure(Result::invalid_value);
        *out = virtual_memory(process).reserve(bytes, alignment, wanted);
    });
}

WARPSIM_API CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
    Arguments const said(address, bytes);
    return call([&](Process& process) { virtual_memory(process).free(address, bytes); });
}

WARPSIM_API CUresult cuMemCreate(CUmemGenericAllocationHandle* out, std::size_t bytes,
                                 CUmemAllocationProp const* p, unsigned long long flags) {
    Arguments const said(out, bytes, p, flags);
    return call([&](Process& process) {
        if (out == nullptr || flags != 0) throw Failure(Result::invalid_value);
        check_properties(process, p);
        *out = virtual_memory(process).create(p->location.id, bytes, p->requestedHandleTypes);
    });
}

WARPSIM_API CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    Arguments const said(handle);
    return call([&](Process& process) { virtual_memory(process).release(handle); });
}

WARPSIM_API CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                              CUmemGenericAllocationHandle handle, unsigned long long flags) {
    Arguments const said(address, bytes, offset, handle, flags);
    return call([&](Process& process) {
        if (flags != 0) throw Failure(Result::invalid_value);
        virtual_memory(process).map(address, bytes, offset, handle);
    });
}

WARPSIM_API CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
    Arguments const said(address, bytes);
    return call([&](Process& process) {
        // Work that may still use it is completed first.
        for (int device = 0; device < process.devices(); ++device) process.gpu(device).queue.wait_all();
        virtual_memory(process).unmap(address, bytes);
    });
}

WARPSIM_API CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, CUmemAccessDesc const* list,
                                    std::size_t count) {
    Arguments const said(address, bytes, list, count);
    return call([&](Process& process) {
        if (list == nullptr || count == 0) throw Failure(Result::invalid_value);
        for (std::size_t i = 0; i < count; ++i) {
            CUmemAccessDesc const& d = list[i];
            if (d.flags != no_access && d.flags != read_only && d.flags != read_and_write)
                throw Failure(Result::invalid_value);
            // Stores by kernels would not be refused.
            if (d.flags == read_only || d.location.type != on_device) throw Failure(Result::not_supported);
            virtual_memory(process).set_access(address, bytes, process.gpu(d.location.id),
                                               d.flags == read_and_write);
        }
    });
}

WARPSIM_API CUresult cuMemGetAccess(unsigned long long* out, CUmemLocation const* location, CUdeviceptr address) {
    Arguments const said(out, location, address);
    return call([&](Process& process) {
        if (location == nullptr || location->type != on_device) throw Failure(Result::invalid_value);
        bool const has = virtual_memory(process).has_access(address, process.gpu(location->id));
        give(out, has ? read_and_write : no_access);
    });
}

WARPSIM_API CUresult cuMemGetAllocationGranularity(std::size_t* out, CUmemAllocationProp const* p, int option) {
    Arguments const said(out, p, option);
    return call([&](Process& process) {
        check_properties(process, p);
        if (option != 0 && option != 1) throw Failure(Result::invalid_value);
        give(out, VirtualMemory::granularity);
    });
}

WARPSIM_API CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* out,
                                                            CUmemGenericAllocationHandle handle) {
    Arguments const said(out, handle);
    return call([&](Process& process) {
        auto const memory = virtual_memory(process).physical(handle);
        CUmemAllocationProp p{};
        p.type = pinned;
        p.location = {on_device, memory->device};
        p.requestedHandleTypes = memory->handle_types;
        give(out, p);
    });
}

WARPSIM_API CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* out, void* address) {
    Arguments const said(out, address);
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        *out = virtual_memory(process).retain(number(address));
    });
}

// The file belongs to the process, which closes it or hands it to another.
WARPSIM_API CUresult cuMemExportToShareableHandle(void* out, CUmemGenericAllocationHandle handle, int type,
                                                  unsigned long long flags) {
    Arguments const said(out, handle, type, flags);
    return call([&](Process& process) {
        auto const memory = virtual_memory(process).physical(handle);
        if (out == nullptr || flags != 0 || (memory->handle_types & type) == 0)
            throw Failure(Result::invalid_value);
        int const file = fcntl(memory->file(), F_DUPFD_CLOEXEC, 0);
        if (file < 0) throw Failure(Result::operating_system);
        *static_cast<int*>(out) = file;
    });
}
WARPSIM_API CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* out, void* handle, int type) {
    Arguments const said(out, handle, type);
    return in_context([&](Process& process, Gpu& gpu) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        if (type != file_descriptor) throw Failure(Result::not_supported);
        *out = virtual_memory(process).import(gpu.ordinal, static_cast<int>(number(handle)));
    });
}
