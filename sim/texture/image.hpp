// What a texture or a surface looks at: texels in device memory.
#pragma once

#include "sim/texture/array_layout.hpp"
#include "sim/texture/format.hpp"

#include <cstdint>

namespace warpsim::sim::texture {

/// The dimensions of texels, as instructions name them.
enum class Geometry : std::uint8_t {
    d1,
    d2,
    d3,
    layered_d1,
    layered_d2,
    cubemap,
    layered_cubemap,
    multisample,
    layered_multisample,
    count,
};

constexpr bool is_layered(Geometry g) {
    return g == Geometry::layered_d1 || g == Geometry::layered_d2 || g == Geometry::layered_cubemap ||
           g == Geometry::layered_multisample;
}
constexpr bool is_cube(Geometry g) { return g == Geometry::cubemap || g == Geometry::layered_cubemap; }
constexpr bool is_multisample(Geometry g) {
    return g == Geometry::multisample || g == Geometry::layered_multisample;
}
/// 1, 2 or 3: how many dimensions a texel of one layer or face has.
constexpr int dimensions(Geometry g) {
    return g == Geometry::d3 ? 3 : g == Geometry::d1 || g == Geometry::layered_d1 ? 1 : 2;
}

/// How texels lie in memory.
enum class Arrangement : std::uint8_t {
    blocked,  // a CUDA array
    pitched,  // rows, a pitch apart
    linear,   // one row, which is read without filters: outside of it is 0
};

struct Image {
    std::uint64_t address = 0;  // of the array's first byte, or of the memory
    Format format{};            // how texels are read, which need not be how the array was declared
    Geometry geometry = Geometry::d2;
    Arrangement arrangement = Arrangement::blocked;
    ArrayLayout layout{};     // of an array
    Extent extent{};          // of memory
    std::uint64_t pitch = 0;  // bytes; of pitched memory
    /// The part that is looked at: levels of an array, and its slices (layers; faces of cubes).
    std::uint32_t first_level = 0, last_level = 0;
    std::uint32_t first_slice = 0, slices = 1;
    /// Seen in the driver's terms, for queries: OpenCL's order of channels that txq returns. 0: from the format.
    std::uint32_t channel_order = 0;

    /// Bytes from the address on that belong to the image's memory.
    std::uint64_t bytes() const;
    /// The size of a level, counted from the first one that is looked at.
    Extent level_extent(std::uint32_t level) const;
    std::uint32_t levels() const { return last_level - first_level + 1; }
    /// Whether instructions may name these dimensions. An array of height 1 has two, as CUDA makes it, and is a line as well.
    bool is_seen_as(Geometry wanted) const;
    /// The address of a texel inside of the image; z is a slice, or the depth.
    std::uint64_t texel(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t level) const {
        return byte(std::uint64_t{x} * format.bytes(), y, z, level);
    }
    /// Of the byte x of a row.
    std::uint64_t byte(std::uint64_t x, std::uint32_t y, std::uint32_t z, std::uint32_t level) const {
        if (arrangement != Arrangement::blocked) return address + y * pitch + x;
        return address + layout.offset(x, y, std::uint64_t{first_slice} + z, first_level + level);
    }
};

/// An image of a whole array, or of linear or pitched memory.
Image image_of_array(std::uint64_t address, Format format, Geometry geometry, ArrayLayout const& layout);
Image image_of_rows(std::uint64_t address, Format format, Extent const& extent, std::uint64_t pitch);
Image image_of_line(std::uint64_t address, Format format, std::uint32_t texels);

}  // namespace warpsim::sim::texture
