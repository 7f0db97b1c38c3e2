#include "runtime/cuda/devices/attributes.hpp"
#include "runtime/cuda/devices/limits.hpp"
#include "runtime/cuda/runtime_api/call.hpp"
#include "runtime/cuda/runtime_api/registration.hpp"
#include "runtime/cuda/streams/streams.hpp"

#include <cstdio>
#include <cstring>

using namespace warpsim::cuda;

namespace {

/// The offset of a property in the 1008-byte cudaDeviceProp of CUDA 13, and the attribute with the same value.
struct Property {
    unsigned offset;
    int attribute;
    bool is_wide = false;  // a size_t
};
constexpr Property properties[] = {
    {296, 8, true}, {304, 12},       {308, 10},       {312, 11, true},  {320, 1},        {324, 2},
    {328, 3},       {332, 4},        {336, 5},        {340, 6},         {344, 7},        {352, 9, true},
    {360, 75},      {364, 76},       {368, 14, true}, {376, 51, true},  {384, 16},       {388, 18},
    {392, 19},      {552, 30, true}, {560, 31},       {564, 32},        {568, 33},       {572, 34},
    {576, 50},      {580, 35},       {584, 40},       {588, 41},        {592, 37},       {596, 38},
    {600, 108},     {604, 39},       {608, 78},       {612, 79},        {616, 80},       {624, 81, true},
    {632, 82},      {636, 83},       {640, 84},       {644, 85},        {648, 86},       {652, 88},
    {656, 89},      {660, 90},       {664, 91},       {668, 95},        {672, 97, true}, {680, 100},
    {684, 101},     {688, 106},      {692, 109},      {696, 111, true}, {704, 99},       {708, 112},
    {712, 113},     {716, 114},      {720, 115},      {748, 120},       {752, 129},
};
constexpr std::size_t properties_bytes = 1008;

}  // namespace

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
        Gpu const& gpu = process.gpu(device);
        if (out == nullptr) throw Failure(Result::invalid_value);
        warpsim::sim::Config const& config = gpu.device.config();
        auto* const bytes = static_cast<char*>(out);
        std::memset(bytes, 0, properties_bytes);
        std::snprintf(bytes, 256, "%s", config.product.c_str());
        std::snprintf(bytes + 256, 16, "warpsim%d", device);  // the UUID
        std::uint64_t const total = process.memory.amount(device).total;
        std::memcpy(bytes + 288, &total, sizeof total);
        for (Property const& p : properties) {
            std::uint64_t const value = static_cast<std::uint64_t>(attribute(config, p.attribute, device));
            std::memcpy(bytes + p.offset, &value, p.is_wide ? 8 : 4);
        }
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
    return call([&] { give(out, interface_version); });
}

WARPSIM_API cudaError_t cudaDriverGetVersion(int* out) {
    Arguments const said(out);
    return call([&] { give(out, interface_version); });
}

WARPSIM_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    Arguments const said(least, greatest);
    return call([&] {
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
WARPSIM_API cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned* out, int const* operations, unsigned count,
                                                            int device) {
    Arguments const said(out, operations, count, device);
    return call([&](Process& process) {
        process.gpu(device);
        list_atomic_capabilities(out, operations, count);
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
