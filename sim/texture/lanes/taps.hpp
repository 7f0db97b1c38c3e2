// addressing.hpp for 32 lanes.
#pragma once

#include "sim/texture/lanes/vectors.hpp"
#include "sim/texture/sampler.hpp"

namespace warpsim::sim::texture::WARPSIM_HOST {
namespace {

/// One dimension of a fetch, for all lanes.
struct alignas(64) LaneTaps {
    std::int32_t first[32];
    std::int32_t second[32];
    std::int32_t weight[32];    // of the second
    std::uint32_t outside[32];  // not 0: a tap is where the border's colour is
};

constexpr std::int32_t margin = 16;  // more texels than any offset has

struct AxisOfLanes {
    std::int32_t texels = 1;
    Address mode = Address::clamp;
    bool is_normalized = false;

    bool repeats() const { return mode == Address::wrap || mode == Address::mirror; }
    std::int32_t period() const { return mode == Address::mirror ? 2 * texels : texels; }
    float margin_in_lengths() const { return static_cast<float>(margin) / static_cast<float>(texels); }
};

constexpr int fraction_bits = 21;

WARPSIM_INLINE Floats clamped(Floats x, float least, float most) {
    x = x < least ? Floats{} + least : x;
    return x > most ? Floats{} + most : x;
}

/// Where an axis repeats: a place that means the same and is less than two lengths away from the texture.
WARPSIM_INLINE Floats far(Floats x, AxisOfLanes const& axis) {
    constexpr std::int32_t bits_of_far = 0x44000000;   // 2^9
    constexpr std::int32_t bits_of_even = 0x4b800000;  // 2^24: all numbers from here on are even, or none
    Ints const magnitude = as<Ints>(as<Words>(x) & 0x7fffffffu);
    float const periods = axis.mode == Address::mirror ? 2.0f : 1.0f;
    Floats const near = magnitude < bits_of_even ? x - floor(x * (1 / periods)) * periods : Floats{};
    return magnitude >= bits_of_far ? near : x;
}

/// In units of 2^-fraction_bits: less than two lengths of the texture, or the margin beyond one.
WARPSIM_INLINE Ints fixed_point(Floats x, AxisOfLanes const& axis) {
    constexpr float one = 1 << fraction_bits;
    if (!axis.repeats()) {
        x = as<Floats>(as<Ints>(x) & (x == x));
        return floor_to_integers(clamped(x, -axis.margin_in_lengths(), 1 + axis.margin_in_lengths()) * one);
    }
    constexpr std::int32_t bits_of_far = 0x44000000;  // 2^9
    if (any(as<Ints>(as<Words>(x) & 0x7fffffffu) >= bits_of_far)) [[unlikely]]
        x = far(x, axis);
    std::int32_t const periods = axis.mode == Address::mirror ? 2 : 1;
    return floor_to_integers(x * one) & ((periods << fraction_bits) - 1);
}

/// A coordinate times the size, in units of 2^(shift - fraction_bits).
WARPSIM_INLINE Ints in_texels(Ints at, AxisOfLanes const& axis, int shift, std::int32_t rounding) {
    constexpr std::int32_t small = 400;  // products have less than 32 bits
    if (axis.texels <= small) return (at * axis.texels + rounding) >> shift;
    constexpr int low = 13;
    Ints const high = (at >> low) * axis.texels, rest = ((at & ((1 << low) - 1)) * axis.texels + rounding) >> low;
    return (high + rest) >> (shift - low);
}

/// The texel of a coordinate.
WARPSIM_INLINE Ints texel_at(Floats x, AxisOfLanes const& axis) {
    if (axis.is_normalized) return in_texels(fixed_point(x, axis), axis, fraction_bits, 0);
    x = as<Floats>(as<Ints>(x) & (x == x));
    return floor_to_integers(clamped(x, -margin, static_cast<float>(axis.texels + margin)));
}

/// In 256ths of a texel, halves rounded up.
WARPSIM_INLINE Ints rounded_at(Floats x, AxisOfLanes const& axis) {
    constexpr int shift = fraction_bits - 8;
    if (axis.is_normalized) return in_texels(fixed_point(x, axis), axis, shift, 1 << (shift - 1));
    x = as<Floats>(as<Ints>(x) & (x == x));
    Floats const at = clamped(x, -margin, static_cast<float>(axis.texels + margin)) * 256.0f;
    Ints const whole = floor_to_integers(at);
    return whole - as<Ints>(at - to_floats(whole) >= 0.5f);
}

/// Indices are at most one period outside where they repeat.
WARPSIM_INLINE Ints addressed(Ints at, AxisOfLanes const& axis, Ints& outside) {
    Ints const size = Ints{} + axis.texels, zero{};
    if (axis.repeats()) {
        Ints const period = Ints{} + axis.period();
        at = at < zero ? at + period : at;
        at = at >= period ? at - period : at;
        return at >= size ? period - 1 - at : at;
    }
    if (axis.mode == Address::border) outside |= (at < zero) | (at >= size);
    at = at < zero ? zero : at;
    return at >= size ? size - 1 : at;
}

/// In [0, period) where an axis repeats, since a small texture repeats several times within an offset.
struct Offsets {
    alignas(64) std::int32_t at[32];

    Offsets(std::int32_t const* from, AxisOfLanes const& axis) {
        if (!axis.repeats()) {
            __builtin_memcpy(at, from, sizeof at);
            return;
        }
        constexpr std::int32_t most = 8;
        std::int32_t const period = axis.period();
        for (int lane = 0; lane < 32; ++lane) {
            std::int32_t const rest = period < most ? from[lane] % period : from[lane];
            at[lane] = rest < 0 ? rest + period : rest;
        }
    }
};

template <bool is_linear, bool has_offset>
WARPSIM_INLINE void find_taps(LaneTaps& taps, float const* x, AxisOfLanes const& axis,
                              std::int32_t const* offsets) {
    for (int i = 0; i < 32; i += lanes) {
        auto const at = load<Floats>(x + i);
        Ints outside{}, offset{};
        if constexpr (has_offset) offset = load<Ints>(offsets + i);
        if constexpr (is_linear) {
            Ints const fixed = rounded_at(at, axis) - 128;
            Ints const next = (fixed >> 8) + offset;
            Ints const first = addressed(next, axis, outside), second = addressed(next + 1, axis, outside);
            Ints const weight = fixed & 255;
            store(taps.first + i, first);
            store(taps.second + i, second);
            store(taps.weight + i, axis.mode == Address::clamp ? weight & (first != second) : weight);
        } else {
            store(taps.first + i, addressed(texel_at(at, axis) + offset, axis, outside));
        }
        store(taps.outside + i, outside);
    }
}

/// Integers count texels, which do not repeat.
WARPSIM_INLINE void count_taps(LaneTaps& taps, std::int32_t const* x, AxisOfLanes const& axis,
                               std::int32_t const* offsets) {
    for (int i = 0; i < 32; i += lanes) {
        Ints const low = Ints{} - margin, high = Ints{} + (axis.texels + margin);
        auto at = load<Ints>(x + i);
        at = at < low ? low : at;
        at = at > high ? high : at;
        if (offsets != nullptr) at += load<Ints>(offsets + i);
        Ints outside{};
        store(taps.first + i, addressed(at, axis, outside));
        store(taps.outside + i, outside);
    }
}

}  // namespace
}  // namespace warpsim::sim::texture::WARPSIM_HOST
