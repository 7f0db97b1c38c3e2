// What sampling gives, from the formulas of the CUDA C++ programming guide ("Texture Fetching") with the precision that the
// hardware has: the texture goes on without end as its address modes say, a filter weighs neighbours of that plane.
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
    double weight = 256;
};

inline std::vector<Tap> taps(Axis const& axis) {
    if (!axis.exists) return {{0, 256}};
    bool const repeats = axis.is_normalized && (axis.mode == Address::wrap || axis.mode == Address::mirror);
    double at = axis.at;
    if (std::isnan(at) || (std::isinf(at) && repeats)) at = 0;
    if (repeats) at = std::fmod(at, 2);
    if (axis.is_normalized) at = std::floor(at * 0x1p21) / 0x1p21 * static_cast<double>(axis.size);
    if (!repeats) at = std::fmin(std::fmax(at, -1000.0), static_cast<double>(axis.size) + 1000);
    if (!axis.is_linear) return {{extended(static_cast<std::int64_t>(std::floor(at)), axis), 256}};
    double const xb = std::floor((at - 0.5) * 256 + 0.5) / 256;
    double const i = std::floor(xb);
    auto const first = static_cast<std::int64_t>(i);
    bool const is_clamped = axis.mode == Address::clamp || (!axis.is_normalized && axis.mode != Address::border);
    bool const is_same = is_clamped && extended(first, axis) == extended(first + 1, axis);
    double const alpha = is_same ? 0 : (xb - i) * 256;
    return {{extended(first, axis), 256 - alpha}, {extended(first + 1, axis), alpha}};
}

using Read = std::function<double(std::array<std::int64_t, 3>)>;

/// Weights are divided along z, x and y, each time to whole 256ths.
inline double sampled(std::array<Axis, 3> const& axes, Read const& read, double border) {
    std::vector<Tap> const xs = taps(axes[0]), ys = taps(axes[1]), zs = taps(axes[2]);
    auto const part = [](double weight, double of_256) { return std::floor(weight * of_256 / 256 + 0.5); };
    double sum = 0;
    for (Tap const& z : zs) {
        double const right = xs.size() > 1 ? part(z.weight, xs[1].weight) : 0;
        for (std::size_t i = 0; i < xs.size(); ++i) {
            double const column = i == 1 ? right : z.weight - right;
            for (std::size_t j = 0; j < ys.size(); ++j) {
                double weight = column;
                if (ys.size() > 1)
                    weight = i == j ? part(column, ys[j].weight) : column - part(column, ys[1 - j].weight);
                if (weight == 0) continue;
                bool const is_inside = xs[i].texel && ys[j].texel && z.texel;
                sum += weight / 256 * (is_inside ? read({*xs[i].texel, *ys[j].texel, *z.texel}) : border);
            }
        }
    }
    return sum;
}

}  // namespace texture_reference
