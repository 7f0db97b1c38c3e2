// Faces of cubes: which one a direction meets, and what lies beyond a face's edges.
#pragma once

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

/// The face of the greatest coordinate; of equal ones z comes before y before x.
inline std::uint32_t face_of(std::array<float, 3> const& v) {
    float const x = std::fabs(v[0]), y = std::fabs(v[1]), z = std::fabs(v[2]);
    std::uint32_t const axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    return 2 * axis + (v[axis] < 0 ? 1 : 0);
}

struct FacePoint {
    std::uint32_t face = 0;
    std::array<float, 2> at{};  // in [0, 1]
};
inline FacePoint face_point(std::array<float, 3> const& v) {
    std::uint32_t const face = face_of(v);
    FaceAxes const& axes = face_axes[face];
    float const m = std::fabs(v[axes.major]);
    float const s = v[axes.s] * static_cast<float>(axes.s_sign), t = v[axes.t] * static_cast<float>(axes.t_sign);
    return {face, {(s / m + 1) / 2, (t / m + 1) / 2}};
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
