// Factors of blocks of k: they become part of the elements, of their values and of their exponents.
#pragma once

#include "sim/matrix/lanes/decode.hpp"

#include <bit>
#include <cstddef>

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

// What exponents become of a factor that is NaN, or too large or small for a float, and of zero: all others add up to less.
inline constexpr int beyond = 1000, furthest = 100;

struct Scale {
    float factor = 0;
    std::int16_t exponent = 0;
};
inline Scale scale_of(FloatProduct const& product, std::uint8_t code) {
    auto const made = [](float factor, int exponent) {
        return Scale{factor, static_cast<std::int16_t>(exponent * exponent_unit)};
    };
    if (!product.scales_are_e4m3) {
        int const exponent = code - 127;
        if (exponent > furthest || exponent < -furthest) return made(0, beyond);
        return made(std::bit_cast<float>(static_cast<std::uint32_t>(code) << 23), exponent);
    }
    int const magnitude = code & 0x7f, field = magnitude >> 3, fraction = magnitude & 7;
    if (magnitude == 0x7f) return made(0, beyond);
    if (magnitude == 0) return made(0, -beyond);
    if (field == 0) return made(static_cast<float>(fraction) * 0x1p-9f, -6);
    auto const unit = std::bit_cast<float>(static_cast<std::uint32_t>(field - 10 + 127) << 23);
    return made(static_cast<float>(8 + fraction) * unit, field - 7);
}

/// Factors for the lanes of some vectors.
template <std::size_t count> struct alignas(64) Scales {
    float factors[count];
    std::int16_t exponents[2 * count];

    void set(int lane, Scale const& scale) {
        factors[lane] = scale.factor;
        exponents[2 * lane] = exponents[2 * lane + 1] = scale.exponent;
    }
};

WARPSIM_INLINE void multiply_values(float* values, float const* factors) {
    store(values, load<Floats>(values) * load<Floats>(factors));
}
/// Infinity and NaN stay what they are, and so does zero, if the factor is a number.
WARPSIM_INLINE void add_exponents(std::uint32_t* exponents, std::int16_t const* added, int zero) {
    Pairs const before = load<Pairs>(exponents), more = load<Pairs>(added);
    Pairs const is_zero = (before == exponent_pairs(zero)) & (more < exponent_pairs(beyond));
    Pairs const stays = is_zero | (before > exponent_pairs(special / 2));
    store(exponents, stays != Pairs{} ? before : saturated_sum(before, more));
}

template <Elements elements> inline void scale_rows(Rows& to, FloatProduct const& product, Block const& block) {
    constexpr int planes = planes_of(elements), exponent_planes = exponent_planes_of(elements);
    int const block_words = product.scale_block / planes;
    for (int four = 0; four < block.words / 4; ++four) {
        Scales<std::size_t{row_words}> scales;
        for (int i = 0; i < row_words; ++i)
            scales.set(i, scale_of(product, block.a_scales[(4 * four + i % 4) / block_words][i / 4]));
        for (int at = 0; at < row_words; at += lanes) {
            for (int p = 0; p < planes; ++p)
                multiply_values(&to.values[four * planes + p][at], &scales.factors[at]);
            for (int p = 0; p < exponent_planes; ++p)
                add_exponents(&to.exponents[four * exponent_planes + p][at], &scales.exponents[2 * at], none);
        }
    }
}

template <Elements elements>
inline void scale_tile(Tile& to, FloatProduct const& product, Block const& block, std::size_t tile) {
    constexpr int planes = planes_of(elements), exponent_planes = exponent_planes_of(elements);
    int const block_words = product.scale_block / planes;
    // In the order of a plane of the tile.
    int const count = 2 * lanes * block.words;
    Scales<std::size_t{2 * lanes * most_words}> scales;
    for (int i = 0; i < count; ++i) {
        int const place = i / lanes;
        auto const column = 8 * tile + static_cast<std::size_t>(i % 4 * 2 + place % 2);
        scales.set(i, scale_of(product, block.b_scales[column][place / 2 / block_words]));
    }
    for (int at = 0; at < count; at += lanes) {
        for (int p = 0; p < planes; ++p)
            multiply_values(&to.values[place_in_tile(p, 0)][0] + at, &scales.factors[at]);
        for (int p = 0; p < exponent_planes; ++p)
            add_exponents(&to.exponents[place_in_tile(p, 0)][0] + at, &scales.exponents[2 * at], none + bias_of_b);
    }
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
