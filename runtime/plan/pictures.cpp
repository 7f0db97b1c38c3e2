#include "runtime/plan/pictures.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpsim::plan {

namespace {

namespace texture = sim::texture;

bool is_same(texture::ArrayShape const& a, texture::ArrayShape const& b) {
    return a.texel_bytes == b.texel_bytes && a.extent == b.extent && a.slices == b.slices &&
           a.levels == b.levels && a.is_line == b.is_line;
}

std::byte* bytes_at(std::uint64_t address) { return std::bit_cast<std::byte*>(address); }

/// Calls work(box, bytes in the buffer before it, pitch) for each level.
template <class Work> void for_each_level(texture::ArrayLayout const& layout, Work&& work) {
    std::uint64_t before = 0;
    for (std::uint32_t level = 0; level < layout.shape().levels; ++level) {
        std::uint64_t const row = layout.width_bytes(level), rows = layout.level(level).extent.height;
        texture::ArrayBox const box{level, 0, 0, 0, row, rows, layout.slices(level)};
        work(box, before, texture::Pitch{row, row * rows});
        before += row * rows * box.depth;
    }
}

}  // namespace

Pictures::Pictures(runtime::Device& device, Resolve resolve) : device_(device), resolve_(std::move(resolve)) {}

texture::Handle Pictures::handle(TextureObject const& object, Used& used) {
    texture::Table& table = device_.textures();
    if (auto const* const t = std::get_if<TextureArgument>(&object))
        return table.add(texture::Texture{image(t->picture, false, used), t->sampler});
    if (auto const* const s = std::get_if<SurfaceArgument>(&object))
        return table.add(texture::Surface{image(s->picture, true, used)});
    return table.add(std::get<SamplerArgument>(object).sampler);
}

texture::Image Pictures::image(Picture const& p, bool is_surface, Used& used) {
    std::uint64_t const address = resolve_(p.address);
    switch (p.layout) {
        case Picture::Layout::rows: return texture::image_of_rows(address, p.format, p.shape.extent, p.pitch);
        case Picture::Layout::line: return texture::image_of_line(address, p.format, p.shape.extent.width);
        case Picture::Layout::array: break;
    }
    std::size_t const number = array(p);
    used.insert(number);
    Array& a = arrays_[number];
    a.is_stored_to = a.is_stored_to || is_surface;
    return texture::image_of_array(a.address, p.format, p.geometry, a.layout);
}

/// A texture and a surface of the same texels are the same array.
std::size_t Pictures::array(Picture const& p) {
    std::uint64_t const buffer = resolve_(p.address);
    auto const known = std::find_if(arrays_.begin(), arrays_.end(), [&](Array const& a) {
        return a.buffer == buffer && is_same(a.layout.shape(), p.shape);
    });
    if (known != arrays_.end()) return static_cast<std::size_t>(known - arrays_.begin());
    texture::ArrayLayout const layout(p.shape);
    arrays_.push_back({buffer, layout, device_.allocate(layout.bytes()), false});
    return arrays_.size() - 1;
}

void Pictures::before_launch(Used const& used) const {
    for (std::size_t const number : used) {
        Array const& a = arrays_[number];
        for_each_level(a.layout, [&](texture::ArrayBox const& box, std::uint64_t before, texture::Pitch pitch) {
            copy_to_array(bytes_at(a.address), a.layout, box, bytes_at(a.buffer + before), pitch);
        });
        device_.tell_set(a.address, a.layout.bytes());
    }
}

void Pictures::after_launch(Used const& used) const {
    for (std::size_t const number : used) {
        Array const& a = arrays_[number];
        if (!a.is_stored_to) continue;
        for_each_level(a.layout, [&](texture::ArrayBox const& box, std::uint64_t before, texture::Pitch pitch) {
            copy_from_array(bytes_at(a.buffer + before), pitch, bytes_at(a.address), a.layout, box);
            device_.tell_set(a.buffer + before, pitch.slice * box.depth);
        });
    }
}

}  // namespace warpsim::plan
