// What sampling gives, in double precision, from the formulas of the CUDA C++ programming guide ("Texture Fetching"): the
// texture goes on without end as its address modes say, a filter weighs neighbours of that plane.
#pragma once

#include "sim/texture/sampler.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace texture_reference {

using warpsim::sim::texture::Address;

struct Axis {
    double at = 0;  // as the program gave it
    std::int64_t size = 1;
    Address mode = Address::clamp;
    bool is_normalized = false;
    bool is_linear = false;
    bool exists = true;
};

/// A texel of the plane without end; none is the border.
inline std::optional<std::int64_t> extended(std::int64_t i, Axis const& axis) {
    std::int64_t const n = axis.size;
    if (i >= 0 && i < n) return i;
    Address mode = axis.mode;
    if (!axis.is_normalized && (mode == Address::wrap || mode == Address::mirror)) mode = Address::clamp;
    if (mode == Address::border) return {};
    if (mode == Address::clamp) return i < 0 ? 0 : n - 1;
    std::int64_t const period = mode == Address::mirror ? 2 * n : n;
    std::int64_t const rest = ((i % period) + period) % period;
    return rest < n ? rest : 2 * n - 1 - rest;
}

struct Tap {
    std::optional<std::int64_t> texel;
    double weight = 1;
};

/// `shift` texels are added: by how much arithmetic of 24 bits may be off.
inline std::vector<Tap> taps(Axis const& axis, double shift) {
    if (!axis.exists) return {{0, 1}};
    bool const repeats = axis.is_normalized && (axis.mode == Address::wrap || axis.mode == Address::mirror);
    double at = axis.at;
    if (std::isnan(at) || (std::isinf(at) && repeats)) at = 0;
    if (repeats) at = std::fmod(at, 2);
    double texels = (axis.is_normalized ? at * static_cast<double>(axis.size) : at) + shift;
    if (!repeats) texels = std::fmin(std::fmax(texels, -1000.0), static_cast<double>(axis.size) + 1000);
    if (!axis.is_linear) return {{extended(static_cast<std::int64_t>(std::floor(texels)), axis), 1}};
    double const xb = texels - 0.5;
    double const i = std::floor(xb);
    double const alpha = std::nearbyint((xb - i) * 256) / 256;
    auto const first = static_cast<std::int64_t>(i);
    return {{extended(first, axis), 1 - alpha}, {extended(first + 1, axis), alpha}};
}

using Read = std::function<double(std::array<std::int64_t, 3>)>;

inline double sampled(std::array<Axis, 3> const& axes, std::array<double, 3> const& shift, Read const& read,
                      double border) {
    double sum = 0;
    for (Tap const& z : taps(axes[2], shift[2])) {
        for (Tap const& y : taps(axes[1], shift[1])) {
            for (Tap const& x : taps(axes[0], shift[0])) {
                double const weight = x.weight * y.weight * z.weight;
                if (weight == 0) continue;
                bool const is_inside = x.texel && y.texel && z.texel;
                sum += weight * (is_inside ? read({*x.texel, *y.texel, *z.texel}) : border);
            }
        }
    }
    return sum;
}

}  // namespace texture_reference
