// How a texture is sampled.
#pragma once

#include <array>
#include <cstdint>

namespace warpsim::sim::texture {

/// What coordinates outside of the texture mean. Wrap and mirror need normalised coordinates, and clamp without these.
enum class Address : std::uint8_t {
    wrap,
    clamp,  // to the texels at the edge
    mirror,
    border,     // the border's colour
    clamp_ogl,  // to the edge itself: halfway to the border's colour
    count,
};
enum class Filter : std::uint8_t { point, linear, count };
/// What a depth comparison asks: `reference OP texel`.
enum class Compare : std::uint8_t {
    never,
    less,
    equal,
    less_equal,
    greater,
    not_equal,
    greater_equal,
    always,
    count
};

struct Sampler {
    std::array<Address, 3> address{Address::clamp, Address::clamp, Address::clamp};
    Filter filter = Filter::point;
    Filter level_filter = Filter::point;
    bool is_normalized = false;  // coordinates are in [0, 1), not in texels
    /// Linear filters at the edges of a cube's face reach into the neighbour's; else each face is clamped.
    bool is_seamless = true;
    Compare compare = Compare::less_equal;  // of instructions that compare depths
    std::uint32_t anisotropy = 1;           // the most samples along the longer axis
    float level_bias = 0;
    float least_level = 0, most_level = 1000;
    std::array<float, 4> border{};  // bits of integers where texels are integers

    bool operator==(Sampler const&) const = default;
};

}  // namespace warpsim::sim::texture
