// From a coordinate to the texels of one dimension, with the weights of a linear filter.
#pragma once

#include "sim/texture/sampler.hpp"

#include <array>
#include <cmath>
#include <cstdint>

namespace warpsim::sim::texture {

inline constexpr std::uint32_t weight_one = 256;
inline constexpr std::int32_t outside = -1;  // where the border's colour is

/// Two neighbours; point filters only take the first.
struct Taps {
    std::array<std::int32_t, 2> at{};
    std::uint32_t second = 0;  // the weight of at[1], in units of 1/weight_one
};

/// Wrap and mirror mean clamp where coordinates are not normalised.
constexpr Address effective(Address mode, bool is_normalized) {
    return !is_normalized && (mode == Address::wrap || mode == Address::mirror) ? Address::clamp : mode;
}

constexpr std::int32_t clamped(std::int32_t at, std::int32_t size) {
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

/// The texel that an index next to or inside of the texture means.
constexpr std::int32_t addressed(std::int32_t at, std::int32_t size, Address mode) {
    if (at >= 0 && at < size) return at;
    switch (mode) {
        case Address::wrap: {
            std::int32_t const rest = at % size;
            return rest < 0 ? rest + size : rest;
        }
        case Address::border:
        case Address::clamp_ogl: return outside;
        default: return clamped(at, size);
    }
}

/// The coordinate in texels, brought near to [0, size]. NaN is 0, and so is what is infinite where the texture repeats.
inline float in_texels(float x, float size, Address mode, bool is_normalized) {
    if (is_normalized && (mode == Address::wrap || mode == Address::mirror)) {
        float const whole = std::floor(x);
        float part = x - whole;
        if (mode == Address::mirror && std::fabs(std::fmod(whole, 2.0f)) == 1) part = 1 - part;
        x = part;
    }
    if (x != x) x = 0;
    if (is_normalized) x *= size;
    float const margin = mode == Address::clamp_ogl ? 0.0f : 16.0f;  // more than any offset
    float const low = -margin, high = size + margin;
    return x < low ? low : x > high ? high : x;
}

/// Coordinates have eight bits behind the point once they are counted in texels: so do the weights.
inline Taps linear_taps(float x, std::uint32_t size, Address mode, bool is_normalized, std::int32_t offset) {
    mode = effective(mode, is_normalized);
    auto const texels = static_cast<std::int32_t>(size);
    auto const fixed = static_cast<std::int32_t>(
        std::nearbyint(in_texels(x, static_cast<float>(size), mode, is_normalized) * 256.0f));
    std::int32_t const shifted = fixed - 128;
    std::int32_t const first = (shifted >> 8) + offset;
    return {{addressed(first, texels, mode), addressed(first + 1, texels, mode)},
            static_cast<std::uint32_t>(shifted & 255)};
}

inline Taps point_taps(float x, std::uint32_t size, Address mode, bool is_normalized, std::int32_t offset) {
    mode = effective(mode, is_normalized);
    auto const texels = static_cast<std::int32_t>(size);
    auto at = static_cast<std::int32_t>(std::floor(in_texels(x, static_cast<float>(size), mode, is_normalized)));
    if (mode == Address::clamp_ogl) at = clamped(at, texels);
    std::int32_t const tap = addressed(at + offset, texels, mode);
    return {{tap, tap}, 0};
}

/// Integers count texels, which do not repeat.
inline Taps texel_taps(std::int32_t texel, std::uint32_t size, Address mode, std::int32_t offset) {
    std::int64_t const at = std::int64_t{texel} + offset;
    bool const is_inside = at >= 0 && at < std::int64_t{size};
    bool const has_border = mode == Address::border;
    std::int32_t const tap = is_inside    ? static_cast<std::int32_t>(at)
                             : has_border ? outside
                             : at < 0     ? 0
                                          : static_cast<std::int32_t>(size) - 1;
    return {{tap, tap}, 0};
}

}  // namespace warpsim::sim::texture
