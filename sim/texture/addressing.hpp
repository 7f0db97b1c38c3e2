// From a coordinate to the texels of one dimension, with the weights of a linear filter.
#pragma once

#include "sim/texture/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace warpsim::sim::texture {

inline constexpr std::int32_t weight_one = 256;
inline constexpr std::int32_t outside = -1;  // where the border's colour is

/// Two neighbours; point filters only take the first.
struct Taps {
    std::array<std::int32_t, 2> at{};
    std::int32_t second = 0;  // the weight of at[1], in units of 1/weight_one
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
    std::int32_t const period = mode == Address::mirror ? 2 * size : size;
    switch (mode) {
        case Address::wrap:
        case Address::mirror: {
            std::int32_t const rest = at % period + (at % period < 0 ? period : 0);
            return rest < size ? rest : period - 1 - rest;
        }
        case Address::border:
        case Address::clamp_ogl: return outside;
        default: return clamped(at, size);
    }
}

/// Normalised coordinates have so many bits behind the point: the rest is cut off.
inline constexpr int fraction_bits = 21;
inline constexpr float fraction_one = 1 << fraction_bits;

/// More texels than any offset has.
inline constexpr std::int32_t margin = 16;

inline std::int64_t floor_to_integer(double x) {
    auto const whole = static_cast<std::int64_t>(x);
    return whole - (static_cast<double>(whole) > x ? 1 : 0);
}

/// A coordinate in units of 1/fraction_one: in one or two lengths of the texture where it repeats, else near [0, 1]. NaN is
/// 0, and so is what is infinite where the texture repeats.
inline std::int64_t fixed_point(float x, Address mode) {
    bool const is_mirrored = mode == Address::mirror;
    if (x != x) x = 0;
    if (is_mirrored || mode == Address::wrap) {
        constexpr float even = 1 << 24;  // all numbers from here on are
        if (!(std::fabs(x) < even)) return 0;
        std::int64_t const period = std::int64_t{is_mirrored ? 2 : 1} << fraction_bits;
        return floor_to_integer(x * fraction_one) & (period - 1);
    }
    float const beyond = mode == Address::clamp_ogl ? 0.0f : static_cast<float>(margin);
    return floor_to_integer(std::clamp(x, -beyond, 1 + beyond) * fraction_one);
}

/// A coordinate that counts texels, brought near to [0, size]. NaN is 0.
inline float in_texels(float x, std::uint32_t size, Address mode) {
    if (x != x) return 0;
    float const beyond = mode == Address::clamp_ogl ? 0.0f : static_cast<float>(margin);
    return std::clamp(x, -beyond, static_cast<float>(size) + beyond);
}

/// The texels around a coordinate: it is rounded to weight_one, halves up, and so are the weights. Both taps of a clamped
/// coordinate beyond the edge are the same texel, of which the first one has all the weight.
inline Taps linear_taps(float x, std::uint32_t size, Address mode, bool is_normalized, std::int32_t offset) {
    mode = effective(mode, is_normalized);
    auto const texels = static_cast<std::int32_t>(size);
    constexpr int dropped = fraction_bits - 8;
    std::int64_t const fixed = is_normalized
                                   ? (fixed_point(x, mode) * texels + (1 << (dropped - 1))) >> dropped
                                   : floor_to_integer(double{in_texels(x, size, mode)} * weight_one + 0.5);
    auto const shifted = static_cast<std::int32_t>(fixed - weight_one / 2);
    std::int32_t const first = (shifted >> 8) + offset;
    Taps taps{{addressed(first, texels, mode), addressed(first + 1, texels, mode)}, shifted & 255};
    if (mode == Address::clamp && taps.at[0] == taps.at[1]) taps.second = 0;
    return taps;
}

inline Taps point_taps(float x, std::uint32_t size, Address mode, bool is_normalized, std::int32_t offset) {
    mode = effective(mode, is_normalized);
    auto const texels = static_cast<std::int32_t>(size);
    auto at = is_normalized ? static_cast<std::int32_t>((fixed_point(x, mode) * texels) >> fraction_bits)
                            : static_cast<std::int32_t>(floor_to_integer(in_texels(x, size, mode)));
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
