// How a linear filter adds up texels of one or several planes: rows of a level, slices of a volume, levels.
#pragma once

#include "sim/texture/format.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpsim::sim::texture {

/// A part of a weight, which is `of_256` in 256ths: halves are rounded up.
constexpr std::int32_t part_of(std::int32_t weight, std::int32_t of_256) { return (weight * of_256 + 128) >> 8; }

/// Of 2 x 2 texels, x first, that share a weight; `x` and `y` are the parts in 256ths of the second column and row.
constexpr std::array<std::int32_t, 4> square_weights(std::int32_t weight, std::int32_t x, std::int32_t y) {
    std::int32_t const second = part_of(weight, x), first = weight - second;
    std::int32_t const last = part_of(second, y), corner = part_of(first, 256 - y);
    return {corner, second - last, first - corner, last};
}

/// The format as which texels are read to be added up: normalised integers are the integers.
Format added_as(Format format);

/// Texels with weights that sum up to 256. What has no weight does not count, whatever it is.
class Blend {
public:
    explicit Blend(Format format) : channel_(format.channel), channels_(format.channels) {}

    /// Numbers of a texel that was read with the format added_as() gives; the planes come in their order.
    void add(Texel const& numbers, std::int32_t weight, std::size_t plane);
    Texel sum() const;

private:
    struct Part {
        Texel numbers;
        std::int32_t weight;
        std::size_t plane;
    };
    float sum_of_integers(std::size_t c) const;
    float sum_of_floats(std::size_t c) const;

    static constexpr std::size_t most_planes = 4, most_parts = 4 * most_planes;
    Channel channel_;
    std::size_t channels_;
    std::array<Part, most_parts> parts_;
    std::size_t count_ = 0, planes_ = 0;
};

}  // namespace warpsim::sim::texture
