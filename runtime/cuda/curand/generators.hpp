// The generators that the program has created for the device. Each is a generator of NVIDIA's on the host, whose handle the
// program has; others are the program's own on the host.
#pragma once

#include <optional>

namespace warpsim::curand {

using Generator = struct curandGenerator_st*;

struct DeviceGenerator {
    bool is_pseudo = true;
    void* stream = nullptr;
};

void add(Generator generator, DeviceGenerator const& what);
void remove(Generator generator);
/// None: it is not for the device.
std::optional<DeviceGenerator> find(Generator generator);
/// False: it is not for the device.
bool set_stream(Generator generator, void* stream);

}  // namespace warpsim::curand
