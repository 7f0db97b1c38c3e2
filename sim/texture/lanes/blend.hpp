// blend.hpp for 32 lanes. Sums of products are exact: they have less digits than the type in which they are made.
#pragma once

#include "sim/texture/lanes/texels.hpp"
#include "sim/texture/lanes/vectors.hpp"

namespace warpsim::sim::texture::WARPSIM_HOST {
namespace {

using QuadDoubles = double __attribute__((vector_size(32)));
using QuadLongs = std::int64_t __attribute__((vector_size(32)));

WARPSIM_INLINE constexpr bool is_normalized_integer(Channel channel) {
    return channel >= Channel::unorm8 && channel <= Channel::snorm16;
}

/// As added_as(): what is added up.
template <Channel channel>
WARPSIM_INLINE Floats number_of(TexelWords const& texels, int c, int lane, Plane const& plane) {
    using enum Channel;
    if constexpr (channel == unorm8) return to_floats(as<Ints>(bits_of<8>(texels, c, lane)));
    if constexpr (channel == snorm8) return to_floats(signed_bits_of<8>(texels, c, lane));
    if constexpr (channel == unorm16) return to_floats(as<Ints>(bits_of<16>(texels, c, lane)));
    if constexpr (channel == snorm16) return to_floats(signed_bits_of<16>(texels, c, lane));
    if constexpr (channel == f16) return floats_of_quiet_halves(bits_of<16>(texels, c, lane));
    return channel_of<channel>(texels, c, lane, plane);
}

/// What has no weight does not count.
template <std::size_t taps>
WARPSIM_INLINE Floats plain_sum(Floats const (&numbers)[taps], Floats const (&weights)[taps]) {
    Floats sum{};
    for (std::size_t tap = 0; tap < taps; ++tap)
        sum += as<Floats>(as<Ints>(numbers[tap] * (weights[tap] * (1 / 256.0f))) & (weights[tap] != Floats{}));
    return sum;
}

/// a + b * c where the product is exact: fused or not.
WARPSIM_INLINE Floats sum_of_exact(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
    return as<Floats>(_mm512_fmadd_ps(as<__m512>(b), as<__m512>(c), as<__m512>(a)));
#elif defined(__AVX2__) && defined(__FMA__)
    return as<Floats>(_mm256_fmadd_ps(as<__m256>(b), as<__m256>(c), as<__m256>(a)));
#else
    return a + b * c;
#endif
}

template <Channel channel, std::size_t taps>
WARPSIM_INLINE Floats sum_of_integers(Floats const (&numbers)[taps], Floats const (&weights)[taps]) {
    using enum Channel;
    Floats products{};
    for (std::size_t tap = 0; tap < taps; ++tap) products = sum_of_exact(products, numbers[tap], weights[tap]);
    Ints const sum = to_integers(products);
    if constexpr (channel == unorm8) return to_floats((sum * 257 + 128) >> 8) / 65535.0f;
    if constexpr (channel == unorm16) return to_floats((sum + 128) >> 8) / 65535.0f;
    if constexpr (channel == snorm16) return at_least(to_floats((sum + 128) >> 8) / 32767.0f, -1);
    return at_least(to_floats(sum + (((sum >> 4) * 257 + 1024) >> 11)) / 32767.0f, -1);
}

/// The exponents of the greatest numbers of each plane, biased, and of all planes: `least` or more.
template <std::size_t planes> struct Exponents {
    Ints of[planes];
    Ints greatest{};

    /// `is_infinite` gets a bit where a number is. `masks` are of Corners::exponents.
    template <std::size_t taps>
    WARPSIM_INLINE Exponents(Floats const (&numbers)[taps], Ints const (&masks)[taps], std::int32_t least,
                             Ints& is_infinite) {
        for (std::size_t p = 0; p < planes; ++p) {
            Ints most{};
            for (std::size_t tap = p * (taps / planes); tap < (p + 1) * (taps / planes); ++tap) {
                Ints const bits = as<Ints>(numbers[tap]) & masks[tap];
                most = bits > most ? bits : most;
            }
            is_infinite |= most == bits_of_infinity;
            most = most >> 23;
            of[p] = most < least ? Ints{} + least : most;
            greatest = p == 0 || of[p] > greatest ? of[p] : greatest;
        }
    }
};

/// 11 digits, of subnormal numbers less; halves away from zero.
WARPSIM_INLINE Floats rounded_to_half(Floats x) {
    Words const sign = as<Words>(x) & 0x80000000u, magnitude = as<Words>(x) & 0x7fffffffu;
    Floats const normal = as<Floats>((magnitude + 0x1000u) & ~0x1fffu);
    Floats const subnormal = to_floats(to_integers(as<Floats>(magnitude) * 0x1p24f + 0.5f)) * 0x1p-24f;
    return as<Floats>(as<Words>(as<Floats>(magnitude) < 0x1p-14f ? subnormal : normal) | sign);
}

template <std::size_t planes, std::size_t taps>
WARPSIM_INLINE Floats sum_of_halves(Floats const (&numbers)[taps], Floats const (&weights)[taps],
                                    Ints const (&masks)[taps], Ints& is_infinite) {
    constexpr std::int32_t least = 113;  // of a normal half
    Exponents<planes> const exponents(numbers, masks, least, is_infinite);
    Floats total{};
    for (std::size_t p = 0; p < planes; ++p) {
        // The greatest number becomes one of 15 digits.
        Floats const scale = as<Floats>((268 - exponents.of[p]) << 23);
        Floats sum{};
        for (std::size_t tap = p * (taps / planes); tap < (p + 1) * (taps / planes); ++tap)
            sum = sum_of_exact(sum, to_floats(to_integers(numbers[tap] * scale)), weights[tap]);
        if constexpr (planes > 1)
            sum = to_floats(
                floor_to_integers(sum * as<Floats>((127 - (exponents.greatest - exponents.of[p])) << 23)));
        total += sum;
    }
    return rounded_to_half(total * as<Floats>((exponents.greatest - 22) << 23));
}

/// The sum of two numbers, of which the first is a multiple of the second one's last digit; halves away from zero.
WARPSIM_INLINE Floats sum_away(Floats a, Floats b) {
    Floats const sum = a + b, error = b - (sum - a);
    Ints const is_toward_zero = ~((as<Ints>(error) ^ as<Ints>(sum)) >> 31);
    return sum + as<Floats>(as<Ints>(error) & is_toward_zero) * (1 + 0x1p-23f);
}

/// The sum of two planes' sums, each a number of 36 digits in two parts. What is too small beside the other plane's digits
/// is cut off if their exponents differ by 12 or more.
WARPSIM_INLINE Floats sum_of_planes(Floats (&high)[2], Floats (&low)[2], Exponents<2> const& exponents) {
    constexpr std::int32_t least_cut = 12, most = 64;
    alignas(64) float parts[4][lanes], result[lanes];
    alignas(64) std::int32_t spreads[2][lanes];
    Ints is_cut{};
    for (std::size_t p = 0; p < 2; ++p) {
        Ints spread = exponents.greatest - exponents.of[p];
        spread = spread > most ? Ints{} + most : spread;
        is_cut |= spread >= least_cut;
        Floats const scale = as<Floats>((127 - spread) << 23);
        store(parts[2 * p], high[p] * scale);
        store(parts[2 * p + 1], low[p] * scale);
        store(spreads[p], spread);
    }
    bool const cuts = any(is_cut);
    for (int i = 0; i < lanes; i += 4) {
        QuadDoubles total{};
        for (std::size_t p = 0; p < 2; ++p) {
            QuadDoubles sum = __builtin_convertvector(load<Quad>(parts[2 * p] + i), QuadDoubles) +
                              __builtin_convertvector(load<Quad>(parts[2 * p + 1] + i), QuadDoubles);
            if (cuts) {
                constexpr double shift = 0x1.8p52;
                QuadDoubles const nearest = (sum + shift) - shift;
                QuadDoubles const whole = nearest > sum ? nearest - 1.0 : nearest;
                QuadLongs const spread = __builtin_convertvector(load<QuadMask>(spreads[p] + i), QuadLongs);
                sum = spread >= least_cut ? whole : sum;
            }
            total += sum;
        }
        // 24 digits, halves away from zero.
        constexpr std::int64_t half = 1 << 28;
        QuadLongs const rounded = (reinterpret_cast<QuadLongs>(total) + half) & ~(2 * half - 1);
        store(result + i, __builtin_convertvector(reinterpret_cast<QuadDoubles>(rounded), Quad));
    }
    return load<Floats>(result);
}

/// Of f32, whose sums have 36 digits, in two parts: multiples of 2^14 and what is less.
template <std::size_t planes, std::size_t taps>
WARPSIM_INLINE Floats sum_of_singles(Floats const (&numbers)[taps], Floats const (&weights)[taps],
                                     Ints const (&masks)[taps], Ints& is_infinite) {
    constexpr std::int32_t least = 28;  // so that all scales are normal numbers
    constexpr int low_bits = 14;
    Exponents<planes> const exponents(numbers, masks, least, is_infinite);
    Floats high[planes], low[planes];
    for (std::size_t p = 0; p < planes; ++p) {
        // The greatest number becomes one of 28 digits.
        Floats const scale = as<Floats>((281 - exponents.of[p]) << 23);
        high[p] = low[p] = Floats{};
        for (std::size_t tap = p * (taps / planes); tap < (p + 1) * (taps / planes); ++tap) {
            Ints const cut = to_integers(numbers[tap] * scale);
            high[p] = sum_of_exact(high[p], to_floats(cut >> low_bits), weights[tap]);
            low[p] = sum_of_exact(low[p], to_floats(cut & ((1 << low_bits) - 1)), weights[tap]);
        }
        high[p] *= 1 << low_bits;
    }
    Floats const unit = as<Floats>((exponents.greatest - 27) << 23);
    if constexpr (planes == 1) return sum_away(high[0], low[0]) * 0x1p-8f * unit;
    else return sum_of_planes(high, low, exponents) * 0x1p-8f * unit;
}

}  // namespace
}  // namespace warpsim::sim::texture::WARPSIM_HOST
