// Faces of cubes: which one a direction meets, and what lies beyond a face's edges.
#pragma once

#include "sim/texture/addressing.hpp"

#include <array>
#include <cmath>
#include <cstdint>

namespace warpsim::sim::texture {

/// Faces in their order: +x, -x, +y, -y, +z, -z. Of each the axis that it lies on, and the axes and directions of its
/// coordinates s and t.
struct FaceAxes {
    std::uint8_t major, s, t;
    std::int8_t major_sign, s_sign, t_sign;
};
inline constexpr std::array<FaceAxes, 6> face_axes{{
    {0, 2, 1, 1, -1, -1},
    {0, 2, 1, -1, 1, -1},
    {1, 0, 2, 1, 1, 1},
    {1, 0, 2, -1, 1, -1},
    {2, 0, 1, 1, 1, -1},
    {2, 0, 1, -1, -1, -1},
}};

/// The greater of two numbers, of which one may be NaN.
inline float greater(float a, float b) { return a > b ? a : b == b ? b : a; }

/// The face of the greatest coordinate; of equal ones z comes before y before x.
inline std::uint32_t face_of(std::array<float, 3> const& v) {
    float const x = std::fabs(v[0]), y = std::fabs(v[1]), z = std::fabs(v[2]);
    float const other = greater(x, y);
    std::uint32_t const axis = z >= other || other != other ? 2 : y >= x || x != x ? 1 : 0;
    return 2 * axis + (v[axis] < 0 ? 1 : 0);
}

struct FacePoint {
    std::uint32_t face = 0;
    std::array<float, 2> at{};  // in [0, 1]
};
/// As programs do it for the hardware: a direction is multiplied by the reciprocal of its greatest coordinate, which is 0
/// where it would be subnormal. NaN is the face's middle.
inline FacePoint face_point(std::array<float, 3> const& v) {
    float const m = greater(std::fabs(v[2]), greater(std::fabs(v[0]), std::fabs(v[1])));
    float const reciprocal = m > 0x1p126f ? 0.0f : 1 / m;
    std::array<float, 3> const u{v[0] * reciprocal, v[1] * reciprocal, v[2] * reciprocal};
    std::uint32_t const face = face_of(u);
    FaceAxes const& axes = face_axes[face];
    // Cut off as coordinates are, since an f32 could be rounded to the next texel.
    auto const place = [](float part, std::int8_t sign) {
        constexpr float half = fraction_one / 2;
        if (part != part) return 0.5f;
        return (static_cast<float>(floor_to_integer(part * static_cast<float>(sign) * half)) + half) /
               fraction_one;
    };
    return {face, {place(u[axes.s], axes.s_sign), place(u[axes.t], axes.t_sign)}};
}

struct FaceTexel {
    std::uint32_t face = 0;
    std::int32_t x = 0, y = 0;
};

/// The texel that lies where x or y, not both, is one step outside of a face of `size` texels: in the row of the neighbour
/// that touches the edge.
inline FaceTexel across_edge(std::uint32_t face, std::int32_t x, std::int32_t y, std::int32_t size) {
    FaceAxes const& axes = face_axes[face];
    // The centres of texels, with the cube's half edge as `size`.
    std::array<std::int32_t, 3> v{};
    auto const centre = [&](std::int32_t at) { return 2 * at + 1 - size; };
    bool const leaves_s = x < 0 || x >= size;
    v[axes.s] = centre(x) * axes.s_sign;
    v[axes.t] = centre(y) * axes.t_sign;
    v[axes.major] = (size - 1) * axes.major_sign;  // folded over the edge
    std::uint32_t const axis = leaves_s ? axes.s : axes.t;
    std::uint32_t const next = 2 * axis + (v[axis] < 0 ? 1 : 0);
    FaceAxes const& new_axes = face_axes[next];
    auto const texel = [&](std::int32_t at) { return (at + size - 1) / 2; };
    return {next, texel(v[new_axes.s] * new_axes.s_sign), texel(v[new_axes.t] * new_axes.t_sign)};
}

}  // namespace warpsim::sim::texture
