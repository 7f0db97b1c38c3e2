#include "runtime/cuda/devices/attributes.hpp"

#include "runtime/cuda/core/errors.hpp"

#include <algorithm>
#include <limits>

#include <cstdio>

namespace warpsim::cuda {

namespace {

template <class T> int as_int(T value) {
    return static_cast<int>(std::min<std::uint64_t>(value, std::numeric_limits<int>::max()));
}

/// Values that follow from the size of the hardware.
int size_attribute(sim::Config const& c, int number) {
    switch (number) {
        case 1: return as_int(c.limits.max_threads_per_cta);
        case 2:
        case 3:
        case 4: return as_int(c.limits.max_cta_size[static_cast<std::size_t>(number - 2)]);
        case 5:
        case 6:
        case 7: return as_int(c.limits.max_grid_size[static_cast<std::size_t>(number - 5)]);
        case 8: return as_int(c.sm.shared.cta_default_bytes());
        case 9: return as_int(c.limits.constant_bank_bytes());
        case 12: return as_int(c.limits.max_registers_per_cta);
        case 13: return as_int(c.clock_mhz * 1000ull);
        case 16: return as_int(c.sm.count);
        case 36: return as_int(c.dram.reported_clock_mhz() * 1000ull);
        case 37: return as_int(c.dram.bus_width_bits);
        case 38: return as_int(c.l2.size_bytes());
        case 39: return as_int(c.sm.max_threads);
        case 75: return as_int(c.compute_capability.major);
        case 76: return as_int(c.compute_capability.minor);
        case 81: return as_int(c.sm.shared.size_bytes());
        case 82: return as_int(c.sm.registers);
        case 97: return as_int(c.sm.shared.cta_opt_in_bytes());
        case 106: return as_int(c.sm.max_ctas);
        case 111: return as_int(c.sm.shared.cta_reserved_bytes);
        default: return 0;
    }
}

/// The largest textures and surfaces, as on current GPUs: larger arrays are refused, and so is larger memory that
/// a texture or surface refers to.
int texture_attribute(int number) {
    constexpr int line = 131072, linear = 1 << 28, plane = 131072, plane_rows = 65536, volume = 16384,
                  layered = 32768, layers = 2048;
    constexpr int cube_layers = 2046, surface_line = 32768;
    switch (number) {
        case 21: return line;
        case 22:
        case 56:
        case 70: return plane;
        case 23:
        case 57: return plane_rows;
        case 24:
        case 25:
        case 26:
        case 58:
        case 59:
        case 60: return volume;
        case 27:
        case 28:
        case 42:
        case 45:
        case 46:
        case 52:
        case 53:
        case 61:
        case 63:
        case 64:
        case 66:
        case 67: return layered;
        case 29:
        case 43:
        case 62:
        case 65: return layers;
        case 47:
        case 48: return volume / 2;  // a volume may be longer where its other dimensions are smaller
        case 49: return volume * 2;
        case 54:
        case 68: return cube_layers;
        case 55: return surface_line;
        case 69: return linear;
        case 71: return 65000;    // for pitched memory
        case 72: return 2097120;  // its pitch, bytes
        case 73:
        case 74:
        case 77: return layered;  // with levels
        default: return 0;
    }
}

}  // namespace

int attribute(sim::Config const& config, int number, int ordinal) {
    switch (number) {
        case 10: return 32;                               // threads of a warp
        case 11: return std::numeric_limits<int>::max();  // largest pitch
        case 14:
        case 30: return 512;  // alignment of textures and surfaces
        case 15:
        case 40: return 1;            // copies beside kernels
        case 19: return 1;            // host memory can be mapped
        case 31: return 1;            // kernels of several streams
        case 33: return ordinal + 1;  // PCI bus
        case 41: return 1;            // one address space
        case 51: return 32;           // alignment of a texture's pitch
        case 78:
        case 79:
        case 80: return 1;        // stream priorities, caches
        case 83: return 1;        // managed memory
        case 85: return ordinal;  // board
        case 86: return 1;        // atomics on host memory are atomic for the host too
        case 89: return 1;        // host and kernels may use managed memory at once
        case 90: return 1;
        case 91: return 1;  // registered memory has its own address
        case 92:
        case 93:
        case 94:
        case 122:
        case 123: return 1;  // streams wait for values in memory and write them
        case 95: return 1;   // cooperative launches
        case 99:
        case 113: return 1;  // host memory can be registered
        case 101: return 1;  // the host reaches managed memory without a copy
        case 102:
        case 103: return 1;  // addresses and memory apart, which other processes get as files
        case 115:
        case 142:
        case 144: return 1;                                   // memory pools, of the host too
        case 120: return config.limits.max_cluster_size > 1;  // clusters
        case 126: return 1;                                   // domains in which memory is ordered
        case 129: return 1;                                   // functions have one address
        case 87: return config.sm.units && config.sm.units->fp64.issue_interval_cycles > 4 ? 32 : 2;
        default: break;
    }
    int const of_textures = texture_attribute(number);
    return of_textures != 0 ? of_textures : size_attribute(config, number);
}

void write_pci_bus_id(int device, char* out, int length) {
    constexpr int least = 13;
    if (out == nullptr || length < least) throw Failure(Result::invalid_value);
    std::snprintf(out, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
}

int device_of_pci_bus_id(char const* id) {
    unsigned domain = 0, bus = 0;
    if (id == nullptr || std::sscanf(id, "%x:%x:", &domain, &bus) != 2) throw Failure(Result::invalid_value);
    return static_cast<int>(bus) - 1;
}

namespace {

/// The simulator has a single memory, so what PTX says about global memory holds for the host's as well.
unsigned atomic_capability(int operation) {
    constexpr unsigned with_sign = 1, without_sign = 2, reduction = 4, of_32 = 8, of_64 = 16, of_128 = 32,
                       four_of_32 = 64;
    enum Operation : int {
        add,
        least,
        greatest,
        increment,
        decrement,
        bit_and,
        bit_or,
        bit_xor,
        exchange,
        compare_and_swap,
        add_float,
        least_float,
        greatest_float
    };
    switch (static_cast<Operation>(operation)) {
        case add:
        case least:
        case greatest: return with_sign | without_sign | reduction | of_32 | of_64;
        case increment:
        case decrement: return without_sign | reduction | of_32;
        case bit_and:
        case bit_or:
        case bit_xor: return without_sign | reduction | of_32 | of_64;
        case exchange:
        case compare_and_swap: return without_sign | of_32 | of_64 | of_128;
        case add_float: return with_sign | reduction | of_32 | of_64 | four_of_32;
        // PTX has these for packed halves only.
        case least_float:
        case greatest_float: return 0;
    }
    throw Failure(Result::invalid_value);
}

}  // namespace

void list_atomic_capabilities(unsigned* out, int const* operations, unsigned count) {
    if (out == nullptr || operations == nullptr || count == 0) throw Failure(Result::invalid_value);
    for (unsigned i = 0; i < count; ++i) out[i] = atomic_capability(operations[i]);
}

}  // namespace warpsim::cuda
