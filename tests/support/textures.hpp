// Arrays, textures and surfaces on the device of a test.
#pragma once

#include "runtime/device.hpp"
#include "sim/texture/table.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

namespace warpsim::test {

namespace texture = sim::texture;

inline texture::ArrayLayout array_layout(texture::Format format, texture::Geometry geometry,
                                         texture::Extent extent, std::uint32_t slices = 1,
                                         std::uint32_t levels = 1, std::uint32_t samples = 1) {
    texture::ArrayShape shape;
    shape.texel_bytes = format.bytes();
    shape.extent = extent;
    shape.slices = slices;
    shape.levels = levels;
    shape.samples = samples;
    shape.is_line = texture::dimensions(geometry) == 1;
    return texture::ArrayLayout(shape);
}

/// An array in device memory, zeroed.
inline texture::Image device_array(runtime::Device& device, texture::Format format, texture::Geometry geometry,
                                   texture::ArrayLayout const& layout) {
    return texture::image_of_array(device.allocate(layout.bytes()), format, geometry, layout);
}

template <class T>
void set_texel(texture::Image const& image, T const& value, std::uint32_t x, std::uint32_t y = 0,
               std::uint32_t slice = 0, std::uint32_t level = 0) {
    std::memcpy(reinterpret_cast<std::byte*>(image.texel(x, y, slice, level)), &value, sizeof value);
}
template <class T>
T texel(texture::Image const& image, std::uint32_t x, std::uint32_t y = 0, std::uint32_t slice = 0) {
    T value;
    std::memcpy(&value, reinterpret_cast<std::byte const*>(image.texel(x, y, slice, 0)), sizeof value);
    return value;
}

/// f(x, y, slice, level) for every texel of an array.
template <class F> void for_texels(texture::Image const& image, F const& f) {
    for (std::uint32_t level = 0; level < image.layout.shape().levels; ++level) {
        texture::Extent const size = image.layout.level(level).extent;
        for (std::uint32_t z = 0; z < image.layout.slices(level); ++z)
            for (std::uint32_t y = 0; y < size.height; ++y)
                for (std::uint32_t x = 0; x < size.width * image.layout.shape().samples; ++x) f(x, y, z, level);
    }
}

}  // namespace warpsim::test
