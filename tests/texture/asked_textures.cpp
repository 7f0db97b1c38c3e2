#include "tests/texture/asked_textures.hpp"

#include "sim/texture/number.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

namespace warpsim::sim::texture {

namespace {

/// Number i of the texels, in the bytes of a channel.
std::uint32_t channel_bits(Channel channel, std::uint64_t i) {
    std::uint64_t const random = mixed(i, 1);
    float value = static_cast<float>(static_cast<std::int32_t>(random)) / (1u << 29);
    if ((random >> 40 & 31) == 0) value *= 4096;
    if ((random >> 40 & 31) == 1) value *= 1.0f / 16384;
    if (channel == Channel::f32) return std::bit_cast<std::uint32_t>(value);
    return channel == Channel::f16 ? f16_of_f32(value) : static_cast<std::uint32_t>(random);
}

/// Inside and outside, at and between texels, and such as are none.
float asked_coordinate(std::uint64_t i, std::uint64_t stream, int size, bool is_normalized) {
    std::uint64_t const random = mixed(i, stream), sort = mixed(i, stream + 50) & 15;
    double at = static_cast<double>(random >> 11) / (1ull << 53);
    if (sort < 6) at = at * size;
    else if (sort < 9) at = (at * 4 - 1.5) * size;
    else if (sort < 11) at = std::floor(at * (size + 2) - 1) + 0.5 * static_cast<double>(random & 1);
    else if (sort < 13) at = (std::floor(at * size * 256) + 0.5 * static_cast<double>(random & 1)) / 256;
    else if (sort < 14) at = (at - 0.5) * 1e5;
    else if (sort < 15) at = std::floor(at * 3) * size + ((random & 2) != 0 ? 1e-6 : -1e-6);
    else {
        constexpr float infinity = std::numeric_limits<float>::infinity();
        constexpr float odd[] = {infinity, -infinity, NAN, 3e38f, -3e38f, 1e-40f, -0.0f, 8388609.f};
        return odd[random & 7];
    }
    return static_cast<float>(is_normalized ? at / size : at);
}

Format format_of(std::string name) {
    if (name[0] == 'u') name = "unorm" + name.substr(1);
    if (name[0] == 's') name = "snorm" + name.substr(1);
    return *format_named(name);
}

Address address_of(std::string const& mode) {
    return mode == "wrap"     ? Address::wrap
           : mode == "clamp"  ? Address::clamp
           : mode == "mirror" ? Address::mirror
                              : Address::border;
}

Geometry geometry_of(std::string const& shape) {
    return shape == "1d"        ? Geometry::d1
           : shape == "3d"      ? Geometry::d3
           : shape == "layered" ? Geometry::layered_d2
           : shape == "cube"    ? Geometry::cubemap
                                : Geometry::d2;
}

}  // namespace

AskedTexture::AskedTexture(std::string const& name) {
    std::istringstream words(name);
    std::string format_name, mode, filter, more;
    words >> shape >> format_name >> mode >> filter;
    format = format_of(format_name);
    sampler.address = {address_of(mode), address_of(mode), address_of(mode)};
    sampler.filter = filter == "linear" ? Filter::linear : Filter::point;
    while (words >> more) {
        if (more == "between") sampler.level_filter = Filter::linear;
        if (more == "normalized") sampler.is_normalized = true;
    }
    sampler.most_level = 10;
    sampler.border = {0.25f, 0.5f, -0.75f, 1};
    kind.geometry = geometry_of(shape);
    kind.levels = shape == "mipmapped" ? LevelChoice::given : LevelChoice::base;
    kind.gathers = shape == "gather";
}

MadeImage AskedTexture::image() const {
    bool const has_levels = shape == "mipmapped", is_cube = shape == "cube";
    Extent extent{37, shape == "1d" ? 1u : 21u, shape == "3d" ? 6u : 1u};
    if (has_levels) extent = {32, 16, 1};
    if (is_cube) extent = {16, 16, 1};
    std::uint32_t const slices = is_cube || shape == "layered" ? 6 : 1;
    MadeImage made(format, kind.geometry, extent, slices, has_levels ? 5 : 1);
    std::uint32_t const bytes = format.bytes() / format.channels;
    made.for_texels([&](auto x, auto y, auto z, auto level) {
        Extent const size = made.image.level_extent(level);
        std::uint64_t const texel = x + std::uint64_t{size.width} * (y + std::uint64_t{size.height} * z);
        for (std::uint64_t c = 0; c < format.channels; ++c) {
            std::uint32_t const bits = channel_bits(format.channel, texel * format.channels + c);
            // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
            auto* const to = reinterpret_cast<std::byte*>(made.image.texel(x, y, z, level));
            std::memcpy(to + c * bytes, &bits, bytes);
        }
    });
    return made;
}

std::vector<Fetch> AskedTexture::fetches() const {
    bool const has_levels = shape == "mipmapped", is_cube = shape == "cube";
    int const sizes[] = {has_levels ? 32
                         : is_cube  ? 16
                                    : 37,
                         shape == "1d"           ? 1
                         : has_levels || is_cube ? 16
                                                 : 21,
                         is_cube || shape == "layered" || shape == "3d" ? 6 : 1};
    std::vector<Fetch> all(asked_fetches);
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t d = 0; d < 3; ++d) {
            all[i].at[d] = asked_coordinate(i, 2 + d, sizes[d], sampler.is_normalized);
            if (is_cube) all[i].at[d] -= 0.5f;
        }
        all[i].layer = i % 8;
        all[i].level = static_cast<float>(static_cast<double>(mixed(i, 5) >> 11) / (1ull << 53) * 7 - 1);
    }
    return all;
}

}  // namespace warpsim::sim::texture
