// Images of random texels in memory of the test.
#pragma once

#include "sim/texture/image.hpp"

#include <cstring>
#include <random>
#include <vector>

namespace warpsim::sim::texture {

class MadeImage {
public:
    MadeImage(Format format, Geometry geometry, Extent extent, std::uint32_t slices = 1, std::uint32_t levels = 1,
              std::uint32_t samples = 1) {
        ArrayShape shape;
        shape.texel_bytes = format.bytes();
        shape.extent = extent;
        shape.slices = slices;
        shape.levels = levels;
        shape.samples = samples;
        shape.is_line = dimensions(geometry) == 1;
        ArrayLayout const layout(shape);
        bytes_.resize(layout.bytes() / 8 + 2);
        auto address = reinterpret_cast<std::uint64_t>(bytes_.data());
        address += -address & 15;
        image = image_of_array(address, format, geometry, layout);
    }

    template <class T>
    void set(T value, std::uint32_t x, std::uint32_t y = 0, std::uint32_t slice = 0, std::uint32_t level = 0) {
        std::memcpy(reinterpret_cast<std::byte*>(image.texel(x, y, slice, level)), &value, sizeof value);
    }
    template <class T>
    T get(std::uint32_t x, std::uint32_t y = 0, std::uint32_t slice = 0, std::uint32_t level = 0) const {
        T value;
        std::memcpy(&value, reinterpret_cast<std::byte const*>(image.texel(x, y, slice, level)), sizeof value);
        return value;
    }
    /// f(x, y, slice, level) for every texel.
    template <class F> void for_texels(F const& f) const {
        for (std::uint32_t level = 0; level < image.layout.shape().levels; ++level) {
            Extent const size = image.level_extent(level);
            for (std::uint32_t z = 0; z < image.layout.slices(level); ++z)
                for (std::uint32_t y = 0; y < size.height; ++y)
                    for (std::uint32_t x = 0; x < size.width * image.layout.shape().samples; ++x)
                        f(x, y, z, level);
        }
    }

    Image image;

private:
    std::vector<std::uint64_t> bytes_;
};

}  // namespace warpsim::sim::texture
