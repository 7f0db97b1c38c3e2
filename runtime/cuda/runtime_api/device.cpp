#include "runtime/cuda/devices/attributes.hpp"
#include "runtime/cuda/devices/limits.hpp"
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/newest_names.hpp"
#include "runtime/cuda/runtime_api/properties.hpp"
#include "runtime/cuda/runtime_api/registration.hpp"
#include "runtime/cuda/runtime_api/version.hpp"
#include "runtime/cuda/streams/streams.hpp"

#include <cstring>

using namespace warpsim::cuda;

WARPSIM_API cudaError_t cudaGetDeviceCount(int* count) {
    Arguments const said(count);
    return call([&](Process& process) {
        give(count, 0);  // even if there is no device
        give(count, process.devices());
    });
}

WARPSIM_API cudaError_t cudaGetDevice(int* device) {
    Arguments const said(device);
    return call([&] { give(device, Thread::current().device); });
}

WARPSIM_API cudaError_t cudaSetDevice(int device) {
    Arguments const said(device);
    return call([&](Process& process) {
        process.gpu(device);
        process.contexts.use_primary(device);
    });
}

WARPSIM_API cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    Arguments const said(device);
    return call([&](Process& process) { process.gpu(device); });
}

WARPSIM_API cudaError_t cudaSetDeviceFlags(unsigned flags) {
    Arguments const said(flags);
    return call([&] {
        if ((flags & ~0xffu) != 0) throw Failure(Result::invalid_value);
    });
}

WARPSIM_API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    Arguments const said(flags);
    return call([&] { give(flags, 8u); });  // host memory can be mapped
}

WARPSIM_API cudaError_t cudaDeviceGetAttribute(int* value, int number, int device) {
    Arguments const said(value, number, device);
    return call([&](Process& process) {
        Gpu const& gpu = process.gpu(device);
        if (number < 1 || number > last_attribute) throw Failure(Result::invalid_value);
        give(value, attribute(gpu.device.config(), number, device));
    });
}

WARPSIM_API cudaError_t cudaGetDeviceProperties(void* out, int device) {
    Arguments const said(out, device);
    return call([&](Process& process) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        auto const properties = device_properties(process, device);
        std::memcpy(out, properties.data(), properties.size());
    });
}

WARPSIM_API cudaError_t cudaChooseDevice(int* device, void const*) {
    Arguments const said(device);
    return call([&] { give(device, 0); });
}

WARPSIM_API cudaError_t cudaDeviceSynchronize() {
    Arguments const said;
    return call([](Process& process) { synchronize_device(process, process.current()); });
}

WARPSIM_API cudaError_t cudaDeviceReset() {
    Arguments const said;
    return call([](Process& process) {
        Gpu& gpu = process.current();
        process.contexts.reset(gpu.ordinal);
        Registrations::get().unload(process, gpu);
        Thread::current().contexts.clear();
        Thread::current().last_error = Result::success;
    });
}

WARPSIM_API cudaError_t cudaRuntimeGetVersion(int* out) {
    Arguments const said(out);
    return call([&] { give(out, runtime_version); });
}

WARPSIM_API cudaError_t cudaDriverGetVersion(int* out) {
    Arguments const said(out);
    return call([&] { give(out, driver_version); });
}

WARPSIM_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    Arguments const said(least, greatest);
    return in_context([&] {
        if (least != nullptr) *least = 0;
        if (greatest != nullptr) *greatest = -5;
    });
}

WARPSIM_API cudaError_t cudaDeviceGetPCIBusId(char* out, int length, int device) {
    Arguments const said(out, length, device);
    return call([&](Process& process) {
        process.gpu(device);
        write_pci_bus_id(device, out, length);
    });
}
WARPSIM_API cudaError_t cudaDeviceGetByPCIBusId(int* device, char const* id) {
    Arguments const said(device, id);
    return call([&](Process& process) { give(device, process.gpu(device_of_pci_bus_id(id)).ordinal); });
}

// Devices do not reach each other's memory; copies between them go through the host.
WARPSIM_API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    Arguments const said(can, device, peer);
    return call([&](Process& process) {
        process.gpu(device);
        process.gpu(peer);
        give(can, 0);
    });
}
WARPSIM_API cudaError_t cudaDeviceGetP2PAttribute(int* out, int number, int from, int to) {
    Arguments const said(out, number, from, to);
    return call([&](Process& process) {
        process.gpu(from);
        process.gpu(to);
        if (from == to) throw Failure(Result::invalid_device);
        if (number < 1 || number > last_peer_attribute) throw Failure(Result::invalid_value);
        give(out, 0);
    });
}
WARPSIM_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
    Arguments const said(peer);
    return call([&](Process& process) {
        process.gpu(peer);
        throw Failure(Result::peer_access_unsupported);
    });
}

WARPSIM_API cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    Arguments const said(peer);
    return call([&](Process& process) {
        process.gpu(peer);
        throw Failure(Result::peer_access_not_enabled);
    });
}

WARPSIM_API cudaError_t cudaDeviceGetLimit(std::size_t* value, int number) {
    Arguments const said(value, number);
    return call([&](Process& process) { give(value, limit(process.current(), number)); });
}

WARPSIM_API cudaError_t cudaDeviceSetLimit(int number, std::size_t value) {
    Arguments const said(number, value);
    return call([&](Process& process) { set_limit(process.current(), number, value); });
}

WARPSIM_API cudaError_t cudaDeviceSetCacheConfig(int config) {
    Arguments const said(config);
    return call([&] {
        if (config < 0 || config > 3) throw Failure(Result::invalid_value);
    });
}

WARPSIM_API cudaError_t cudaDeviceGetCacheConfig(int* config) {
    Arguments const said(config);
    return call([&] { give(config, 0); });
}

WARPSIM_API cudaError_t cudaProfilerStart() {
    return call([](Process&) {});
}
WARPSIM_API cudaError_t cudaProfilerStop() {
    return call([](Process&) {});
}

WARPSIM_API cudaError_t cudaSetValidDevices(int const* list, int count) {
    Arguments const said(list, count);
    return call([&](Process& process) {
        if (count < 0 || count > process.devices() || (count != 0 && list == nullptr))
            throw Failure(Result::invalid_value);
        for (int i = 0; i < count; ++i) process.gpu(list[i]);
        // Every device can be used at any time, so the first of the list is selected.
        Thread& thread = Thread::current();
        if (count != 0 && thread.context() == nullptr) thread.device = list[0];
    });
}
WARPSIM_API cudaError_t cudaCtxResetPersistingL2Cache() {
    return call([](Process& process) { process.current(); });
}

// The width of banks cannot be chosen since compute capability 5.0; a program's choice is not even stored.
WARPSIM_API cudaError_t cudaDeviceGetSharedMemConfig(int* out) {
    Arguments const said(out);
    constexpr int four_bytes = 1;
    return call([&](Process& process) {
        process.current();
        give(out, four_bytes);
    });
}
WARPSIM_API cudaError_t cudaDeviceSetSharedMemConfig(int size) {
    Arguments const said(size);
    return call([&](Process& process) {
        process.current();
        if (size < 0 || size > 2) throw Failure(Result::invalid_value);
    });
}
