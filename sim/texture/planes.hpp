// Fetches of 32 lanes at once from two dimensions, with the vectors of the host: the same bits as sample(), many times as
// fast.
#pragma once

#include "frontend/isa/table.hpp"
#include "sim/texture/image.hpp"
#include "sim/texture/sampler.hpp"

#include <cstddef>
#include <cstdint>

namespace warpsim::sim::texture {

/// What is the same for all lanes. Plain data: code for a host must not share functions with other code.
struct Plane {
    std::byte const* texels = nullptr;
    std::uint32_t width = 1, height = 1;
    std::int32_t row_bytes = 0;  // of a row of tiles
    std::int32_t pitch = 0;
    bool is_blocked = true;
    Channel channel = Channel::f32;
    std::uint8_t channels = 1;
    Address address_x = Address::clamp,
            address_y = Address::clamp;  // wrap and mirror with normalised coordinates only
    bool is_normalized = false;
    bool is_linear = false;
};
/// 32 coordinates each, and the columns of the results: four channels, as sample() gives them.
struct PlaneFetch {
    float const* x = nullptr;
    float const* y = nullptr;
    std::uint32_t mask = 0;
    std::uint32_t* results[4] = {};
};

struct PlaneFunctions {
    /// False, with nothing done, when lanes need the border's colour.
    bool (*fetch)(Plane const&, PlaneFetch const&);
};
PlaneFunctions const& plane_functions(isa::HostIsa host);

/// 32 lanes of a fetch from linear memory, by texel: no filter, no address mode.
struct LineFetch {
    std::int32_t const* texel = nullptr;
    std::uint32_t mask = 0;
    std::uint32_t* results[4] = {};
};
void fetch_line(Image const& image, LineFetch const& fetch);

/// Whether the functions of planes can read the base level of the image: two dimensions, a format of channels of 32 bits or
/// of normalised bytes, less than 2 GiB.
bool is_plain(Image const& image, Sampler const& sampler);
Plane plane_of(Image const& image, Sampler const& sampler);

}  // namespace warpsim::sim::texture
