// Numbers of the kernels that multiply matrices, and the tensor maps that these take.
#pragma once

#include "sim/tensor/tensor_map.hpp"
#include "tests/kernels/kernel_run.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace warpsim::test {

/// Of a normal number that f16 has, or zero.
inline std::uint16_t half_of(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    if (value == 0) return 0;
    return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) |
                                      (bits >> 13 & 0x3ff));
}
inline std::vector<std::uint16_t> halves_of(std::vector<float> const& values) {
    std::vector<std::uint16_t> halves;
    for (float const value : values) halves.push_back(half_of(value));
    return halves;
}

/// From -4 to 4, or numbers of ten fraction bits between 1/2 and 2 of either sign.
inline std::vector<float> elements(std::size_t count, std::uint32_t seed, bool are_small) {
    std::vector<float> values;
    for (auto const bits : random_integers<std::uint32_t>(count, seed)) {
        if (are_small) values.push_back(static_cast<float>(bits % 9) - 4);
        else
            values.push_back(((bits & 1) != 0 ? -1.f : 1.f) * static_cast<float>(1024 + (bits >> 8) % 1024) *
                             ((bits & 2) != 0 ? 0x1p-10f : 0x1p-11f));
    }
    return values;
}

inline float float_of_half(std::uint16_t half) {
    int const exponent = half >> 10 & 31;
    float const fraction = static_cast<float>(half & 1023) + (exponent == 0 ? 0.f : 1024.f);
    return std::ldexp((half & 0x8000) != 0 ? -fraction : fraction, std::max(exponent, 1) - 25);
}

/// A parameter of a kernel.
struct alignas(64) MapArgument {
    sim::tensor::MapBytes bytes;
};

/// Rows of `columns` elements behind each other, in boxes that a copy swizzles by 128 bytes.
inline MapArgument map_of(sim::tensor::Element element, std::uint64_t at, std::size_t columns, std::size_t rows,
                          std::uint32_t box_columns, std::uint32_t box_rows) {
    sim::tensor::TensorMap map;
    map.element = element;
    map.swizzle = sim::tensor::Swizzle::bytes_128;
    map.rank = 2;
    map.address = at;
    map.dims[0] = columns;
    map.dims[1] = rows;
    map.strides[0] = columns * sim::tensor::global_bits(element) / 8;
    map.box[0] = box_columns;
    map.box[1] = box_rows;
    return {sim::tensor::encode(map)};
}

/// A device in timing mode.
inline runtime::DeviceOptions with_clock() {
    runtime::DeviceOptions options = with_threads(1);
    options.mode = runtime::Mode::timing;
    return options;
}

/// Calls `f` with a machine of each way, and one with a clock.
template <class F> void in_every_mode(std::string const& file, F const& f) {
    for (Way const& way : every_way()) {
        INFO(way.text());
        Machine machine(file, way);
        f(machine);
    }
    INFO("with a clock");
    Machine machine(file, with_clock());
    f(machine);
}

}  // namespace warpsim::test
