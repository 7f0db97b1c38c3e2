// What a texture fetch gives by the formulas of the CUDA programming guide ("Texture Fetching") with the weights that
// hardware has: what the programs of this folder compare with.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace reference {

/// The numbers of cudaTextureAddressMode and CUaddress_mode.
enum class Address { wrap, clamp, mirror, border };

using Texel = std::array<double, 4>;

struct Image {
    Image(int w, int h = 1, int d = 1)
        : width(w), height(h), depth(d), texels(static_cast<std::size_t>(w) * h * d) {}

    int width, height, depth;
    std::vector<Texel> texels;

    Texel& at(int x, int y = 0, int z = 0) {
        return texels[(static_cast<std::size_t>(z) * height + y) * width + x];
    }
    Texel const& at(int x, int y = 0, int z = 0) const { return const_cast<Image*>(this)->at(x, y, z); }
};

struct Sampler {
    Address address[3] = {Address::clamp, Address::clamp, Address::clamp};
    bool is_linear = false;
    bool is_normalized = false;
    Texel border{};
};

/// The texel that an index means in a dimension of that size; -1: the border's colour.
inline int resolved(long i, int size, Address mode) {
    if (i >= 0 && i < size) return static_cast<int>(i);
    if (mode == Address::border) return -1;
    if (mode == Address::clamp) return i < 0 ? 0 : size - 1;
    long const period = mode == Address::wrap ? size : 2L * size;
    long at = i % period;
    if (at < 0) at += period;
    return static_cast<int>(at < size ? at : 2L * size - 1 - at);
}

/// The one or two texels that a coordinate chooses, with the weight of the second in 256ths.
struct Choice {
    int first, second;
    long weight;
};

inline Choice choice(double x, int size, Address mode, bool is_linear, bool is_normalized) {
    // Only normalised coordinates repeat.
    if (!is_normalized && mode != Address::border) mode = Address::clamp;
    // Normalised coordinates have 21 bits after the point.
    double const at = is_normalized ? std::floor(x * (1 << 21)) / (1 << 21) * size : x;
    if (!is_linear) {
        int const i = resolved(std::lround(std::floor(at)), size, mode);
        return {i, i, 0};
    }
    // Nine bits, eight of them after the point.
    long const rounded = std::lround(std::floor((at - 0.5) * 256 + 0.5));
    long const weight = rounded & 255, low = (rounded - weight) / 256;
    int const first = resolved(low, size, mode), second = resolved(low + 1, size, mode);
    return {first, second, mode == Address::clamp && first == second ? 0 : weight};
}

/// A part of a weight, which is `of_256` in 256ths.
inline long part(long weight, long of_256) { return (weight * of_256 + 128) / 256; }

/// `dimensions` of the coordinates count; those after them choose nothing, but for a line, which is the upper edge of a row.
/// The texels together weigh `whole` 256ths.
inline Texel fetch(Image const& image, Sampler const& s, int dimensions, double x, double y = 0, double z = 0,
                   long whole = 256) {
    int const sizes[] = {image.width, image.height, image.depth};
    double const at[] = {x, dimensions > 1 ? y : 0, z};
    Choice of[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    bool const is_line_in_border = dimensions == 1 && s.is_linear && s.address[1] == Address::border;
    for (int i = 0; i < (is_line_in_border ? 2 : dimensions); ++i)
        of[i] = choice(at[i], sizes[i], s.address[i], s.is_linear, s.is_normalized);
    Texel sum{};
    for (int corner = 0; corner < 8; ++corner) {
        bool const is_second[] = {(corner & 1) != 0, (corner & 2) != 0, (corner & 4) != 0};
        // Weights are divided along z, then x, then y.
        long const behind = part(whole, of[2].weight), plane = is_second[2] ? behind : whole - behind;
        long const right = part(plane, of[0].weight), column = is_second[0] ? right : plane - right;
        long const below = of[1].weight;
        long const nearer = is_second[0] ? part(column, below) : part(column, 256 - below);
        long const weight = is_second[0] == is_second[1] ? nearer : column - nearer;
        if (weight == 0) continue;
        int place[3];
        for (int i = 0; i < 3; ++i) place[i] = is_second[i] ? of[i].second : of[i].first;
        bool const is_outside = place[0] < 0 || place[1] < 0 || place[2] < 0;
        Texel const& texel = is_outside ? s.border : image.at(place[0], place[1], place[2]);
        for (int c = 0; c < 4; ++c) sum[c] += static_cast<double>(weight) / 256 * texel[c];
    }
    return sum;
}

inline bool is_near(double got, double want, double tolerance) {
    return std::abs(got - want) <= tolerance * (1 + std::abs(want));
}

/// A generator that is the same everywhere.
struct Random {
    unsigned state = 1;
    unsigned next() {
        state = state * 1664525u + 1013904223u;
        return state >> 8;
    }
    /// A multiple of 1/steps in [low, high].
    double coordinate(double low, double high, int steps) {
        auto const count = static_cast<unsigned>((high - low) * steps) + 1;
        return low + static_cast<double>(next() % count) / steps;
    }
};

}  // namespace reference
