#include "sim/texture/image.hpp"

namespace warpsim::sim::texture {

std::uint64_t Image::bytes() const {
    std::uint64_t const row = std::uint64_t{extent.width} * format.bytes();
    switch (arrangement) {
        case Arrangement::blocked: return layout.bytes();
        case Arrangement::pitched: return (std::uint64_t{extent.height} - 1) * pitch + row;
        case Arrangement::linear: break;
    }
    return row;
}

Extent Image::level_extent(std::uint32_t level) const {
    return arrangement == Arrangement::blocked ? layout.level(first_level + level).extent : extent;
}

bool Image::is_seen_as(Geometry wanted) const {
    bool const is_row =
        level_extent(0).height == 1 && ((geometry == Geometry::d2 && wanted == Geometry::d1) ||
                                        (geometry == Geometry::layered_d2 && wanted == Geometry::layered_d1));
    return geometry == wanted || is_row;
}

Image image_of_array(std::uint64_t address, Format format, Geometry geometry, ArrayLayout const& layout) {
    Image image;
    image.address = address;
    image.format = format;
    image.geometry = geometry;
    image.layout = layout;
    image.last_level = layout.shape().levels - 1;
    image.slices = layout.shape().slices;
    return image;
}

Image image_of_rows(std::uint64_t address, Format format, Extent const& extent, std::uint64_t pitch) {
    Image image;
    image.address = address;
    image.format = format;
    image.arrangement = Arrangement::pitched;
    image.extent = extent;
    image.pitch = pitch;
    return image;
}

Image image_of_line(std::uint64_t address, Format format, std::uint32_t texels) {
    Image image;
    image.address = address;
    image.format = format;
    image.geometry = Geometry::d1;
    image.arrangement = Arrangement::linear;
    image.extent = {texels, 1, 1};
    return image;
}

}  // namespace warpsim::sim::texture
