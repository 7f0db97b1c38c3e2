// NVIDIA's management library, as far as programs ask it what there is. It begins no process of the simulator: programs ask it
// because they want to fork afterwards.
#include "runtime/cuda/core/options.hpp"
#include "runtime/cuda/devices/attributes.hpp"
#include "runtime/cuda/memory/host_memory.hpp"
#include "runtime/log.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#define WARPSIM_API extern "C" __attribute__((visibility("default")))

using namespace warpsim;

namespace {

enum Result : int {
    success = 0,
    uninitialized = 1,
    invalid_argument = 2,
    not_found = 6,
    insufficient_size = 7,
    version_mismatch = 25,
    unknown = 999,
};

// Of a driver of CUDA 13.0.
constexpr int cuda_version = 13000;
constexpr char const* driver_version = "580.00.00";

std::atomic<int> uses{0};

cuda::Overview const& overview() {
    static auto const* const known = new cuda::Overview(cuda::overview_from_environment());
    return *known;
}

/// A device's handle is its number and 1.
using Device = std::uintptr_t;

template <class Work> Result with_library(Work const& work) {
    if (uses.load() <= 0) return uninitialized;
    try {
        return work();
    } catch (Error const& error) {
        log::failure(error.what());
        return unknown;
    }
}
template <class Work> Result with_device(Device device, Work const& work) {
    return with_library([&] {
        if (device == 0 || device > static_cast<Device>(overview().devices)) return invalid_argument;
        return work(static_cast<int>(device - 1));
    });
}

template <class T> Result give(T* to, T value) {
    if (to == nullptr) return invalid_argument;
    *to = value;
    return success;
}
Result give_text(char* to, unsigned room, std::string const& text) {
    if (to == nullptr) return invalid_argument;
    if (text.size() + 1 > room) return insufficient_size;
    std::memcpy(to, text.c_str(), text.size() + 1);
    return success;
}

/// As cuDeviceGetUuid says it: "warpsim0" in 16 bytes.
std::string uuid_of(int device) {
    std::array<char, 16> bytes{};
    std::snprintf(bytes.data(), bytes.size(), "warpsim%d", device);
    std::string text = "GPU-";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::array<char, 3> hex{};
        std::snprintf(hex.data(), hex.size(), "%02x", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
        text += std::string(i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + hex.data();
    }
    return text;
}

Result find(Device* to, std::string_view wanted, std::string (*name)(int)) {
    return with_library([&] {
        for (int i = 0; i < overview().devices; ++i)
            if (name(i) == wanted) return give(to, static_cast<Device>(i + 1));
        return not_found;
    });
}

std::string pci_id(int device) {
    std::array<char, 32> text{};
    cuda::write_pci_bus_id(device, text.data(), static_cast<int>(text.size()));
    return text.data();
}
bool is_same_bus(std::string_view a, std::string_view b) {
    // Domains have four or eight digits.
    return a.substr(a.find(':') == 8 ? 4 : 0) == b.substr(b.find(':') == 8 ? 4 : 0);
}

struct PciInfo {
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char bus_id[32];
};

struct Memory {
    unsigned long long total, free, used;
};
struct MemoryV2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};

unsigned long long memory_bytes() {
    return std::min<unsigned long long>(overview().config.memory.global_bytes(), cuda::available_host_memory());
}

constexpr auto error_texts = std::to_array<char const*>(
    {"Success", "Uninitialized", "Invalid Argument", "Not Supported", "Insufficient Permissions",
     "Already Initialized", "Not Found", "Insufficient Size", "Insufficient External Power", "Driver Not Loaded",
     "Timeout"});

}  // namespace

WARPSIM_API Result nvmlInitWithFlags(unsigned) {
    ++uses;
    return with_library([] {
        overview();
        return success;
    });
}
WARPSIM_API Result nvmlInit() { return nvmlInitWithFlags(0); }
WARPSIM_API Result nvmlInit_v2() { return nvmlInitWithFlags(0); }
WARPSIM_API Result nvmlShutdown() {
    if (uses.load() <= 0) return uninitialized;
    --uses;
    return success;
}
WARPSIM_API char const* nvmlErrorString(int result) {
    bool const is_known = result >= 0 && static_cast<std::size_t>(result) < error_texts.size();
    return is_known ? error_texts[static_cast<std::size_t>(result)] : "Unknown Error";
}

WARPSIM_API Result nvmlSystemGetDriverVersion(char* to, unsigned room) {
    return with_library([&] { return give_text(to, room, driver_version); });
}
WARPSIM_API Result nvmlSystemGetNVMLVersion(char* to, unsigned room) {
    return with_library([&] { return give_text(to, room, std::string("13.") + driver_version); });
}
WARPSIM_API Result nvmlSystemGetCudaDriverVersion(int* to) { return give(to, cuda_version); }
WARPSIM_API Result nvmlSystemGetCudaDriverVersion_v2(int* to) { return give(to, cuda_version); }

WARPSIM_API Result nvmlDeviceGetCount_v2(unsigned* to) {
    return with_library([&] { return give(to, static_cast<unsigned>(overview().devices)); });
}
WARPSIM_API Result nvmlDeviceGetCount(unsigned* to) { return nvmlDeviceGetCount_v2(to); }
WARPSIM_API Result nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* to) {
    return with_device(Device{index} + 1, [&](int) { return give(to, Device{index} + 1); });
}
WARPSIM_API Result nvmlDeviceGetHandleByIndex(unsigned index, Device* to) {
    return nvmlDeviceGetHandleByIndex_v2(index, to);
}
WARPSIM_API Result nvmlDeviceGetHandleByUUID(char const* uuid, Device* to) {
    if (uuid == nullptr) return invalid_argument;
    std::string const name = uuid;
    return find(to, name.starts_with("GPU-") ? name : "GPU-" + name, uuid_of);
}
WARPSIM_API Result nvmlDeviceGetHandleByPciBusId_v2(char const* id, Device* to) {
    if (id == nullptr) return invalid_argument;
    return with_library([&] {
        for (int i = 0; i < overview().devices; ++i)
            if (is_same_bus(pci_id(i), id)) return give(to, static_cast<Device>(i + 1));
        return not_found;
    });
}
WARPSIM_API Result nvmlDeviceGetHandleByPciBusId(char const* id, Device* to) {
    return nvmlDeviceGetHandleByPciBusId_v2(id, to);
}

WARPSIM_API Result nvmlDeviceGetIndex(Device device, unsigned* to) {
    return with_device(device, [&](int i) { return give(to, static_cast<unsigned>(i)); });
}
WARPSIM_API Result nvmlDeviceGetMinorNumber(Device device, unsigned* to) { return nvmlDeviceGetIndex(device, to); }
WARPSIM_API Result nvmlDeviceGetName(Device device, char* to, unsigned room) {
    return with_device(device, [&](int) { return give_text(to, room, overview().config.product); });
}
WARPSIM_API Result nvmlDeviceGetUUID(Device device, char* to, unsigned room) {
    return with_device(device, [&](int i) { return give_text(to, room, uuid_of(i)); });
}
WARPSIM_API Result nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
    return with_device(device, [&](int) {
        int const number = overview().config.compute_capability.number();
        return give(major, number / 10) == success ? give(minor, number % 10) : invalid_argument;
    });
}
WARPSIM_API Result nvmlDeviceGetPciInfo_v3(Device device, PciInfo* to) {
    return with_device(device, [&](int i) {
        if (to == nullptr) return invalid_argument;
        *to = {};
        to->bus = static_cast<unsigned>(i) + 1;
        std::string const id = pci_id(i);
        id.copy(to->bus_id_legacy, sizeof to->bus_id_legacy - 1);
        ("0000" + id).copy(to->bus_id, sizeof to->bus_id - 1);
        return success;
    });
}
WARPSIM_API Result nvmlDeviceGetPciInfo_v2(Device device, PciInfo* to) {
    return nvmlDeviceGetPciInfo_v3(device, to);
}
WARPSIM_API Result nvmlDeviceGetPciInfo(Device device, PciInfo* to) { return nvmlDeviceGetPciInfo_v3(device, to); }
WARPSIM_API Result nvmlDeviceGetMemoryInfo(Device device, Memory* to) {
    return with_device(device, [&](int) { return give(to, Memory{memory_bytes(), memory_bytes(), 0}); });
}
WARPSIM_API Result nvmlDeviceGetMemoryInfo_v2(Device device, MemoryV2* to) {
    return with_device(device, [&](int) {
        constexpr unsigned expected = 0x02000028;
        if (to == nullptr) return invalid_argument;
        if (to->version != expected) return version_mismatch;
        return give(to, MemoryV2{expected, memory_bytes(), 0, memory_bytes(), 0});
    });
}
