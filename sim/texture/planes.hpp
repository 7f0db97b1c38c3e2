// Fetches of 32 lanes at once, with the vectors of the host: the same bits as sample(), many times as fast.
#pragma once

#include "frontend/isa/table.hpp"
#include "sim/texture/sample.hpp"

#include <cstddef>
#include <cstdint>

namespace warpsim::sim::texture {

/// A level of an image, of one to three dimensions. What is the same for all lanes. Plain data: code for a host must not share functions with other code.
struct Plane {
    std::byte const* texels = nullptr;
    std::uint8_t dimensions = 2;
    std::uint32_t width = 1, height = 1, depth = 1;
    std::int32_t row_bytes = 0;    // of a row of tiles
    std::int32_t slice_bytes = 0;  // from one layer, face or plane of the depth to the next
    std::int32_t pitch = 0;
    bool is_blocked = true;
    Channel channel = Channel::f32;
    std::uint8_t channels = 1;
    // Wrap and mirror with normalised coordinates only.
    Address address_x = Address::clamp, address_y = Address::clamp, address_z = Address::clamp;
    bool is_normalized = false;
    bool is_linear = false;
    bool gathers = false;  // instead of filtering
    std::uint8_t component = 0;
};
/// 32 coordinates each, and the columns of the results: four channels, as sample() gives them.
struct PlaneFetch {
    float const* x = nullptr;
    float const* y = nullptr;
    float const* z = nullptr;
    std::int32_t const* slice = nullptr;  // one that there is, of lanes without a part in it, too
    std::uint32_t mask = 0;
    std::uint32_t* results[4] = {};
};

struct PlaneFunctions {
    /// The lanes that are left, with nothing done: those that need the border's colour.
    std::uint32_t (*fetch)(Plane const&, PlaneFetch const&);
};
PlaneFunctions const& plane_functions(isa::HostIsa host);

/// 32 lanes of a fetch from linear memory, by texel: no filter, no address mode.
struct LineFetch {
    std::int32_t const* texel = nullptr;
    std::uint32_t mask = 0;
    std::uint32_t* results[4] = {};
};
void fetch_line(Image const& image, LineFetch const& fetch);

/// The operands of a fetch and its results, in columns of 32 lanes. Results may be the columns of operands.
struct FetchColumns {
    float const* at[3] = {};
    std::uint32_t const* layer = nullptr;
    float const* level = nullptr;
    float const* dx[3] = {};
    float const* dy[3] = {};
    std::uint32_t* results[4] = {};
};
/// Fetches what it can of the lanes in `mask`, and returns those that are left for sample(): all of them unless the image has
/// less than 2 GiB and a format of channels of 32 bits or of normalised bytes; those that need the border's colour, reach over
/// the edge of a seamless cube's face, or take several samples. Nothing may be compared or shifted, and coordinates are floats.
std::uint32_t fetch_planes(PlaneFunctions const& functions, Image const& image, Sampler const& sampler,
                           FetchKind const& kind, FetchColumns const& columns, std::uint32_t mask);

}  // namespace warpsim::sim::texture
