#include "runtime/cuda/devices/attributes.hpp"
#include "runtime/cuda/driver_api/call.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

int value_of(Gpu const& gpu, int number) { return attribute(gpu.device.config(), number, gpu.ordinal); }

CUresult uuid(CUuuid* out, CUdevice device) {
    return call([&](Process& process) {
        process.gpu(device);
        if (out == nullptr) throw Failure(Result::invalid_value);
        std::memset(out, 0, sizeof *out);
        std::snprintf(out->bytes, sizeof out->bytes, "warpsim%d", device);
    });
}

}  // namespace

WARPSIM_API CUresult cuDeviceGet(CUdevice* out, int ordinal) {
    Arguments const said(out, ordinal);
    return call([&](Process& process) { give(out, process.gpu(ordinal).ordinal); });
}

WARPSIM_API CUresult cuDeviceGetCount(int* out) {
    Arguments const said(out);
    return call([&](Process& process) { give(out, process.devices()); });
}

WARPSIM_API CUresult cuDeviceGetName(char* out, int length, CUdevice device) {
    Arguments const said(out, length, device);
    return call([&](Process& process) {
        Gpu const& gpu = process.gpu(device);
        if (out == nullptr || length <= 0) throw Failure(Result::invalid_value);
        std::snprintf(out, static_cast<std::size_t>(length), "%s", gpu.device.config().product.c_str());
    });
}

WARPSIM_API CUresult cuDeviceGetUuid(CUuuid* out, CUdevice device) {
    Arguments const said(out, device);
    return uuid(out, device);
}
WARPSIM_API CUresult cuDeviceGetUuid_v2(CUuuid* out, CUdevice device) {
    Arguments const said(out, device);
    return uuid(out, device);
}

WARPSIM_API CUresult cuDeviceTotalMem_v2(std::size_t* out, CUdevice device) {
    Arguments const said(out, device);
    return call([&](Process& process) {
        process.gpu(device);
        give(out, process.memory.amount(device).total);
    });
}

WARPSIM_API CUresult cuDeviceGetAttribute(int* out, int number, CUdevice device) {
    Arguments const said(out, number, device);
    return call([&](Process& process) {
        Gpu const& gpu = process.gpu(device);
        if (number < 1 || number > last_attribute) throw Failure(Result::invalid_value);
        give(out, value_of(gpu, number));
    });
}

WARPSIM_API CUresult cuDeviceGetProperties(CUdevprop* out, CUdevice device) {
    Arguments const said(out, device);
    return call([&](Process& process) {
        Gpu const& gpu = process.gpu(device);
        auto const v = [&](int n) { return value_of(gpu, n); };
        give(out,
             CUdevprop{
                 v(1), {v(2), v(3), v(4)}, {v(5), v(6), v(7)}, v(8), v(9), v(10), v(11), v(12), v(13), v(14)});
    });
}

WARPSIM_API CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    Arguments const said(major, minor, device);
    return call([&](Process& process) {
        Gpu const& gpu = process.gpu(device);
        give(major, value_of(gpu, 75));
        give(minor, value_of(gpu, 76));
    });
}

WARPSIM_API CUresult cuDeviceGetExecAffinitySupport(int* out, int, CUdevice device) {
    Arguments const said(out, device);
    return call([&](Process& process) {
        process.gpu(device);
        give(out, 0);
    });
}

WARPSIM_API CUresult cuDeviceGetPCIBusId(char* out, int length, int device) {
    Arguments const said(out, length, device);
    return call([&](Process& process) {
        process.gpu(device);
        write_pci_bus_id(device, out, length);
    });
}
WARPSIM_API CUresult cuDeviceGetByPCIBusId(int* device, char const* id) {
    Arguments const said(device, id);
    return call([&](Process& process) { give(device, process.gpu(device_of_pci_bus_id(id)).ordinal); });
}

// Devices do not reach each other's memory; copies between them go through the host.
WARPSIM_API CUresult cuDeviceCanAccessPeer(int* can, int device, int peer) {
    Arguments const said(can, device, peer);
    return call([&](Process& process) {
        process.gpu(device);
        process.gpu(peer);
        give(can, 0);
    });
}
WARPSIM_API CUresult cuDeviceGetP2PAttribute(int* out, int number, int from, int to) {
    Arguments const said(out, number, from, to);
    return call([&](Process& process) {
        process.gpu(from);
        process.gpu(to);
        if (from == to) throw Failure(Result::invalid_device);
        if (number < 1 || number > last_peer_attribute) throw Failure(Result::invalid_value);
        give(out, 0);
    });
}
WARPSIM_API CUresult cuDeviceGetHostAtomicCapabilities(unsigned* out, int const* operations, unsigned count,
                                                       int device) {
    Arguments const said(out, operations, count, device);
    return call([&](Process& process) {
        process.gpu(device);
        list_atomic_capabilities(out, operations, count);
    });
}

WARPSIM_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    Arguments const said(peer, flags);
    return in_context([&](Process& process, Gpu&) {
        process.contexts.get(peer);
        throw Failure(flags != 0 ? Result::invalid_value : Result::peer_access_unsupported);
    });
}

WARPSIM_API CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    Arguments const said(peer);
    return in_context([&](Process& process, Gpu&) {
        process.contexts.get(peer);
        throw Failure(Result::peer_access_not_enabled);
    });
}
