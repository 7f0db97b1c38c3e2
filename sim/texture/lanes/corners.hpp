// Which texels lanes take, and what they weigh.
#pragma once

#include "sim/texture/lanes/taps.hpp"
#include "sim/texture/planes.hpp"

namespace warpsim::sim::texture::WARPSIM_HOST {
namespace {

/// Where the taps of each lane are, from the texels of the first plane on, and what they weigh in 256ths: x changes first,
/// then y, then z or the level.
struct alignas(64) Corners {
    std::int32_t offset[8][32];
    float weight[8][32];
    std::int32_t exponents[8][32];  // of numbers that have a weight: the bits where an f32 has its own
    std::size_t taps = 1;
};

/// From the texel to its bytes, in one dimension: the tiles of arrays or rows at a pitch.
struct Layout {
    std::int32_t texel_bytes, row_bytes, pitch;
    bool is_blocked;

    explicit Layout(Plane const& plane)
        : texel_bytes(plane.texel_bytes),
          row_bytes(plane.row_bytes),
          pitch(plane.pitch),
          is_blocked(plane.is_blocked) {}

    WARPSIM_INLINE Ints column(Ints x) const {
        Ints const byte = x * texel_bytes;
        if (!is_blocked) return byte;
        return (byte >> 6) * static_cast<std::int32_t>(tile_bytes) + (byte & 63);
    }
    WARPSIM_INLINE Ints row(Ints y) const {
        if (!is_blocked) return y * pitch;
        return (y >> 3) * row_bytes + (y & 7) * static_cast<std::int32_t>(tile_width);
    }
};

/// Where lanes are in each dimension.
struct Around {
    LaneTaps x, y, z;
};

WARPSIM_INLINE Ints part_of(Ints weight, Ints of_256) { return (weight * of_256 + 128) >> 8; }

WARPSIM_INLINE void put(Corners& corners, std::size_t tap, int i, Ints offset, Ints weight) {
    store(corners.offset[tap] + i, offset);
    store(corners.weight[tap] + i, to_floats(weight));
    store(corners.exponents[tap] + i, (weight != Ints{}) & bits_of_infinity);
}

/// As square_weights(), of the lanes from i on, which share `weight`; `base` is where their slice begins.
template <std::size_t taps>
WARPSIM_INLINE void find_square(Corners& corners, std::size_t first, Around const& around, Plane const& plane,
                                int i, Ints base, Ints weight) {
    Layout const layout(plane);
    Ints above = base;
    if (plane.dimensions > 1) above += layout.row(load<Ints>(around.y.first + i));
    Ints const column = layout.column(load<Ints>(around.x.first + i));
    if constexpr (taps == 1) return put(corners, first + 0, i, above + column, weight);
    Ints const next = layout.column(load<Ints>(around.x.second + i));
    Ints const right = part_of(weight, load<Ints>(around.x.weight + i)), left = weight - right;
    if constexpr (taps == 2) {
        put(corners, first + 0, i, above + column, left);
        put(corners, first + 1, i, above + next, right);
    }
    if constexpr (taps == 4) {
        Ints const below = base + layout.row(load<Ints>(around.y.second + i));
        Ints const y = load<Ints>(around.y.weight + i), last = part_of(right, y), corner = part_of(left, 256 - y);
        put(corners, first + 0, i, above + column, corner);
        put(corners, first + 1, i, above + next, right - last);
        put(corners, first + 2, i, below + column, left - corner);
        put(corners, first + 3, i, below + next, last);
    }
}

/// `taps` of a plane: 1 without a filter, else 2 or 4. `planes` is 2 where a filter goes along z.
template <std::size_t taps, std::size_t planes>
WARPSIM_INLINE void find_corners(Corners& corners, Around const& around, Plane const& plane,
                                 PlaneFetch const& fetch) {
    corners.taps = taps * planes;
    for (int i = 0; i < 32; i += lanes) {
        Ints base = load<Ints>(fetch.slice + i) * plane.slice_bytes, whole = Ints{} + 256;
        if (plane.dimensions > 2) base = load<Ints>(around.z.first + i) * plane.slice_bytes;
        if constexpr (planes == 2) {
            Ints const behind = load<Ints>(around.z.weight + i);
            find_square<taps>(corners, taps, around, plane, i, load<Ints>(around.z.second + i) * plane.slice_bytes,
                              behind);
            whole -= behind;
        }
        find_square<taps>(corners, 0, around, plane, i, base, whole);
    }
}

/// Of two levels.
template <std::size_t taps>
WARPSIM_INLINE void find_corners(Corners& corners, Around const (&around)[2], Plane const* const (&planes)[2],
                                 PlaneFetch const& fetch) {
    corners.taps = 2 * taps;
    for (int i = 0; i < 32; i += lanes) {
        Ints const second = load<Ints>(fetch.second + i);
        for (std::size_t p = 0; p < 2; ++p) {
            Plane const& plane = *planes[p];
            Ints base = (plane.dimensions > 2 ? load<Ints>(around[p].z.first + i) : load<Ints>(fetch.slice + i)) *
                        plane.slice_bytes;
            base += static_cast<std::int32_t>(plane.texels - planes[0]->texels);
            find_square<taps>(corners, p * taps, around[p], plane, i, base, p == 0 ? 256 - second : second);
        }
    }
}

}  // namespace
}  // namespace warpsim::sim::texture::WARPSIM_HOST
