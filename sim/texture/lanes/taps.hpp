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
    std::uint32_t weight[32];   // of the second
    std::uint32_t outside[32];  // not 0: a tap is where the border's colour is
};

struct AxisOfLanes {
    float size = 1;
    std::int32_t texels = 1;
    Address mode = Address::clamp;
    bool is_normalized = false;
};

WARPSIM_INLINE Floats in_texels(Floats x, AxisOfLanes const& axis) {
    if (axis.is_normalized && (axis.mode == Address::wrap || axis.mode == Address::mirror)) {
        Floats const whole = floor(x);
        Floats part = x - whole;
        if (axis.mode == Address::mirror) {
            Floats const half = whole * 0.5f;
            part = floor(half) != half ? 1.0f - part : part;
        }
        x = part;
    }
    x = x != x ? Floats{} : x;
    if (axis.is_normalized) x = x * axis.size;
    Floats const low = Floats{} - 16.0f, high = Floats{} + (axis.size + 16.0f);
    x = x < low ? low : x;
    return x > high ? high : x;
}

/// Indices are at most one period outside where they repeat.
WARPSIM_INLINE Ints addressed(Ints at, AxisOfLanes const& axis, Ints& outside) {
    Ints const size = Ints{} + axis.texels, zero{};
    if (axis.mode == Address::wrap) {
        at = at < zero ? at + size : at;
        return at >= size ? at - size : at;
    }
    if (axis.mode == Address::border) outside |= (at < zero) | (at >= size);
    at = at < zero ? zero : at;
    return at >= size ? size - 1 : at;
}

/// In [0, size) where an axis repeats, since a small texture repeats several times within an offset.
struct Offsets {
    alignas(64) std::int32_t at[32];

    Offsets(std::int32_t const* from, AxisOfLanes const& axis) {
        if (axis.mode != Address::wrap) {
            __builtin_memcpy(at, from, sizeof at);
            return;
        }
        constexpr std::int32_t most = 8;
        for (int lane = 0; lane < 32; ++lane) {
            std::int32_t const rest = axis.texels < most ? from[lane] % axis.texels : from[lane];
            at[lane] = rest < 0 ? rest + axis.texels : rest;
        }
    }
};

template <bool is_linear, bool has_offset>
WARPSIM_INLINE void find_taps(LaneTaps& taps, float const* x, AxisOfLanes const& axis,
                              std::int32_t const* offsets) {
    for (int i = 0; i < 32; i += lanes) {
        Floats const at = in_texels(load<Floats>(x + i), axis);
        Ints outside{}, offset{};
        if constexpr (has_offset) offset = load<Ints>(offsets + i);
        if constexpr (is_linear) {
            Ints const fixed = nearest(at * 256.0f) - 128;
            Ints const first = (fixed >> 8) + offset;
            store(taps.first + i, addressed(first, axis, outside));
            store(taps.second + i, addressed(first + 1, axis, outside));
            store(taps.weight + i, fixed & 255);
        } else {
            store(taps.first + i, addressed(to_integers(floor(at)) + offset, axis, outside));
        }
        store(taps.outside + i, outside);
    }
}

/// Integers count texels, which do not repeat.
WARPSIM_INLINE void count_taps(LaneTaps& taps, std::int32_t const* x, AxisOfLanes const& axis,
                               std::int32_t const* offsets) {
    constexpr std::int32_t margin = 16;  // more than any offset
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
