// cudaDeviceProp: a name, a UUID, and after them the values of attributes, each where the one before ends.
#include "runtime/cuda/runtime_api/properties.hpp"

#include "runtime/cuda/devices/attributes.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace warpsim::cuda {

namespace {

enum class Editions { both, until_12, since_13 };

struct Property {
    int attribute;
    bool is_wide = false;  // a size_t
    Editions editions = Editions::both;
};

/// From totalGlobalMem, which has no attribute, to what is reserved.
constexpr Property properties[] = {
    // clang-format off
    {8, true}, {12}, {10}, {11, true}, {1}, {2}, {3}, {4}, {5}, {6}, {7},
    {13, false, Editions::until_12},  // clock
    {9, true}, {75}, {76}, {14, true}, {51, true},
    {15, false, Editions::until_12},  // a copy beside a kernel
    {16},
    {17, false, Editions::until_12},  // kernels have a time limit
    {18}, {19},
    {20, false, Editions::until_12},  // compute mode
    // The largest textures and surfaces.
    {21}, {77}, {69, false, Editions::until_12}, {22}, {23}, {73}, {74}, {70}, {71}, {72}, {45}, {46},
    {24}, {25}, {26}, {47}, {48}, {49}, {52}, {42}, {43}, {27}, {28}, {29}, {53}, {54},
    {55}, {56}, {57}, {58}, {59}, {60}, {61}, {62}, {63}, {64}, {65}, {66}, {67}, {68},
    {30, true}, {31}, {32}, {33}, {34}, {50}, {35}, {40}, {41},
    {36, false, Editions::until_12},  // the memory's clock
    {37}, {38}, {108}, {39}, {78}, {79}, {80}, {81, true}, {82}, {83}, {84}, {85}, {86},
    {87, false, Editions::until_12},  // how much slower doubles are
    {88}, {89}, {90}, {91}, {95},
    {96, false, Editions::until_12},  // grids over several devices
    {97, true}, {100}, {101}, {106}, {109}, {111, true}, {99}, {112}, {113}, {114}, {115}, {116}, {117}, {118},
    {119}, {121}, {125}, {120}, {129},
    {130, false, Editions::since_13}, {131, false, Editions::since_13}, {133, false, Editions::since_13},
    {134, false, Editions::since_13}, {139, false, Editions::since_13}, {140, false, Editions::since_13},
    {143, false, Editions::since_13},
    // clang-format on
};

constexpr bool is_there(Property const& p) {
    constexpr Editions other = runtime_version < 13000 ? Editions::since_13 : Editions::until_12;
    return p.editions != other;
}

constexpr std::size_t name_bytes = 256, uuid_bytes = 16, memory_offset = 288;

/// Calls visit(attribute, offset, bytes) for each; returns where the last one ends.
template <class Visit> constexpr std::size_t for_each_property(Visit&& visit) {
    std::size_t at = memory_offset + sizeof(std::uint64_t);
    for (Property const& p : properties) {
        if (!is_there(p)) continue;
        std::size_t const bytes = p.is_wide ? sizeof(std::uint64_t) : sizeof(int);
        at = (at + bytes - 1) / bytes * bytes;
        visit(p.attribute, at, bytes);
        at += bytes;
    }
    return at;
}

constexpr std::size_t reserved_bytes = sizeof(int) * (runtime_version < 13000 ? 63 : 56);
static_assert(for_each_property([](int, std::size_t, std::size_t) {}) + reserved_bytes == device_properties_bytes);

}  // namespace

std::array<char, device_properties_bytes> device_properties(Process& process, int device) {
    sim::Config const& config = process.gpu(device).device.config();
    std::array<char, device_properties_bytes> out{};
    std::snprintf(out.data(), name_bytes, "%s", config.product.c_str());
    std::snprintf(out.data() + name_bytes, uuid_bytes, "warpsim%d", device);
    std::uint64_t const total = process.memory.amount(device).total;
    std::memcpy(out.data() + memory_offset, &total, sizeof total);
    for_each_property([&](int number, std::size_t at, std::size_t bytes) {
        auto const value = static_cast<std::uint64_t>(attribute(config, number, device));
        std::memcpy(out.data() + at, &value, bytes);
    });
    return out;
}

}  // namespace warpsim::cuda
