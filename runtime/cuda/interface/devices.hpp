// The functions for devices that both interfaces spell alike but for the beginning of their names. Included once
// in each library, behind the definitions of COMMON_FUNCTION(name), call() and give().
#include "runtime/cuda/process/process.hpp"

#include <cstdio>

using namespace warpsim::cuda;

COMMON_FUNCTION(DeviceGetPCIBusId)(char* out, int length, int device) {
    constexpr int least = 13;
    return call([&] {
        Process::get().gpu(device);
        if (out == nullptr || length < least) throw Failure(Result::invalid_value);
        std::snprintf(out, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
    });
}
COMMON_FUNCTION(DeviceGetByPCIBusId)(int* device, char const* id) {
    return call([&] {
        unsigned domain = 0, bus = 0;
        if (id == nullptr || std::sscanf(id, "%x:%x:", &domain, &bus) != 2) throw Failure(Result::invalid_value);
        give(device, Process::get().gpu(static_cast<int>(bus) - 1).ordinal);
    });
}

// Devices do not reach each other's memory; copies between them go through the host.
COMMON_FUNCTION(DeviceCanAccessPeer)(int* can, int device, int peer) {
    return call([&] {
        Process::get().gpu(device);
        Process::get().gpu(peer);
        give(can, 0);
    });
}
COMMON_FUNCTION(DeviceGetP2PAttribute)(int* out, int number, int from, int to) {
    constexpr int last = 5;
    return call([&] {
        Process::get().gpu(from);
        Process::get().gpu(to);
        if (from == to) throw Failure(Result::invalid_device);
        if (number < 1 || number > last) throw Failure(Result::invalid_value);
        give(out, 0);
    });
}
