// face_point() of cube.hpp for 32 lanes.
#pragma once

#include "sim/texture/lanes/taps.hpp"

namespace warpsim::sim::texture::WARPSIM_HOST {
namespace {

WARPSIM_INLINE Floats magnitude(Floats x) { return as<Floats>(as<Words>(x) & 0x7fffffffu); }
WARPSIM_INLINE Floats greater(Floats a, Floats b) {
    Floats const number = b == b ? b : a;
    return a > b ? a : number;
}

WARPSIM_INLINE Floats place_on_face(Floats part) {
    constexpr float half = 1 << (fraction_bits - 1);
    Ints const at = floor_to_integers(part * half) + (1 << (fraction_bits - 1));
    return part == part ? to_floats(at) * (0.5f / half) : Floats{} + 0.5f;
}

void find_faces(Faces& faces, float const* const (&from)[3]) {
    for (int i = 0; i < 32; i += lanes) {
        auto x = load<Floats>(from[0] + i), y = load<Floats>(from[1] + i), z = load<Floats>(from[2] + i);
        Floats const m = greater(magnitude(z), greater(magnitude(x), magnitude(y)));
        Floats const reciprocal = m > 0x1p126f ? Floats{} : 1.0f / m;
        x *= reciprocal, y *= reciprocal, z *= reciprocal;
        Floats const other = greater(magnitude(x), magnitude(y));
        Ints const is_z = (magnitude(z) >= other) | (other != other);
        Ints const is_y = ~is_z & ((magnitude(y) >= magnitude(x)) | (x != x));
        Floats const beside = is_y ? y : x, major = is_z ? z : beside;
        Ints const is_negative = major < Floats{};
        store(faces.face + i, (is_z & 4) + (is_y & 2) - is_negative);
        Floats const s_of_x = is_negative ? z : -z, s_of_z = is_negative ? -x : x, t_of_y = is_negative ? -z : z;
        Floats const s_beside = is_y ? x : s_of_x;
        store(faces.at[0] + i, place_on_face(is_z ? s_of_z : s_beside));
        store(faces.at[1] + i, place_on_face(is_y ? t_of_y : -y));
    }
}

}  // namespace
}  // namespace warpsim::sim::texture::WARPSIM_HOST
