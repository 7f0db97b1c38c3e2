#include "sim/texture/planes.hpp"

#include "frontend/isa/by_host.hpp"
#include "sim/texture/addressing.hpp"

#include <array>

namespace warpsim::sim::texture {

WARPSIM_BY_HOST(PlaneFunctions, plane_functions, functions)

void fetch_line(Image const& image, LineFetch const& fetch) {
    Format const format = image.format;
    std::uint64_t const bytes = format.bytes();
    // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
    auto const* const texels = reinterpret_cast<std::byte const*>(image.address);
    std::uint32_t const one = format.is_integer() ? 1 : 0x3f800000;
    std::array<Texel, 32> values{};  // outside is zero
    for (std::size_t lane = 0; lane < 32; ++lane) {
        auto const at = static_cast<std::uint32_t>(fetch.texel[lane]);
        bool const is_inside = at < image.extent.width;  // negative ones are far outside, too
        if ((fetch.mask >> lane & 1) == 0 || !is_inside) continue;
        values[lane] = decode(format, texels + at * bytes);
        if (format.channels < 4) values[lane][3] = one;
    }
    // Results may be the registers of the coordinates.
    for (std::size_t c = 0; c < 4; ++c) {
        for (std::size_t lane = 0; lane < 32; ++lane) {
            if ((fetch.mask >> lane & 1) != 0) fetch.results[c][lane] = values[lane][c];
        }
    }
}

bool is_plain(Image const& image, Sampler const& sampler) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 31;
    constexpr std::uint32_t widest = 1u << 17;  // so that eight bits behind the point fit, too
    Extent const size = image.level_extent(0);
    bool const is_plane = image.geometry == Geometry::d2 && image.arrangement != Arrangement::linear;
    bool const is_small = image.bytes() < most_bytes && size.width <= widest && size.height <= widest;
    Channel const c = image.format.channel;
    bool const has_format = c == Channel::f32 || c == Channel::u32 || c == Channel::s32 || c == Channel::unorm8;
    bool const is_clamped = sampler.address[0] != Address::clamp_ogl && sampler.address[1] != Address::clamp_ogl;
    return is_plane && is_small && has_format && is_clamped;
}

Plane plane_of(Image const& image, Sampler const& sampler) {
    bool const is_blocked = image.arrangement == Arrangement::blocked;
    Extent const size = image.level_extent(0);
    Plane p;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
    p.texels = reinterpret_cast<std::byte const*>(image.byte(0, 0, 0, 0));
    p.width = size.width;
    p.height = size.height;
    p.row_bytes = is_blocked ? static_cast<std::int32_t>(image.layout.level(image.first_level).row_bytes) : 0;
    p.pitch = static_cast<std::int32_t>(image.pitch);
    p.is_blocked = is_blocked;
    p.channel = image.format.channel;
    p.channels = image.format.channels;
    p.is_normalized = sampler.is_normalized;
    p.address_x = effective(sampler.address[0], sampler.is_normalized);
    p.address_y = effective(sampler.address[1], sampler.is_normalized);
    p.is_linear = sampler.filter == Filter::linear && !image.format.is_integer();
    return p;
}

}  // namespace warpsim::sim::texture
