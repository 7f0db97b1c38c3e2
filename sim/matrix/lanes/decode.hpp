// Elements of matrices as floats and exponents. A vector has as many rows of a as it has fours of words, in the order of a
// warp's registers; what it meets of b are four columns, the same for all rows.
#pragma once

#include "sim/matrix/lanes/vectors.hpp"
#include "sim/matrix/number.hpp"
#include "sim/matrix/products.hpp"

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

// Exponents are kept in units of 1 / 32, so that a sum in the upper half of a lane stands two places below where a float of
// 32 bits has its own; those of b have the bias of f32. Two of them say more than a number: that of zero, and that of
// infinity and NaN. Saturated sums of any two tell what took part: without zeros they lie above -126, with one of
// infinity or NaN above 300, and with zeros alone below -130.
inline constexpr int exponent_unit = 32;
inline constexpr int bias_of_b = 127;
inline constexpr int none = -390, special = 700;
inline constexpr int surely_none = -130 - bias_of_b;

inline constexpr int most_planes = 8;
inline constexpr int row_words = 4 * block_rows;  // of four words of each row

/// How the elements of a word lie apart: each plane has one value of every word, each pair of planes (a plane, of tf32) one
/// word of exponents, of which every half belongs to one plane.
enum class Elements : std::uint8_t { halves, bfloats, tfloats, bytes, nibbles };
constexpr int planes_of(Elements e) {
    return e == Elements::tfloats ? 1 : e == Elements::bytes ? 4 : e == Elements::nibbles ? 8 : 2;
}
constexpr int exponent_planes_of(Elements e) { return planes_of(e) == 1 ? 1 : planes_of(e) / 2; }

/// What turns codes of up to 8 bits into halves with another bias, and exponents out of these.
struct Decoding {
    std::uint32_t magnitude = 0, sign = 0;  // of a code, in both halves of a word
    int magnitude_shift = 0, sign_shift = 0;
    std::int16_t bias = 15;
    std::uint16_t first_special = 0x7c00;
    int shift = 0;  // the value is 2^shift times what it is as a half
};
inline Decoding decoding_of(isa::Type type, bool is_packed) {
    switch (type) {
        case isa::Type::e4m3: return {0x007f007f, 0x00800080, 7, 8, 7, 0x3f80, 8};
        case isa::Type::e5m2: return {0x007f007f, 0x00800080, 8, 8, 15, 0x7c00, 0};
        case isa::Type::e3m2: return {0x001f001f, 0x00200020, 8, 10, 3, 0x7fff, 12};
        case isa::Type::e2m3: return {0x001f001f, 0x00200020, 7, 10, 1, 0x7fff, 14};
        case isa::Type::e2m1:
            if (is_packed) return {0x00070007, 0x00080008, 9, 12, 1, 0x7fff, 14};
            return {0x001c001c, 0x00200020, 7, 10, 1, 0x7fff, 14};
        default: return {};
    }
}
inline Elements elements_of(isa::Type type, bool is_packed) {
    switch (type) {
        case isa::Type::f16: return Elements::halves;
        case isa::Type::bf16: return Elements::bfloats;
        case isa::Type::tf32: return Elements::tfloats;
        default: return is_packed ? Elements::nibbles : Elements::bytes;
    }
}

WARPSIM_INLINE Pairs exponent_pairs(int exponent) {
    return Pairs{} + static_cast<std::int16_t>(exponent * exponent_unit);
}

/// Exponents of two numbers of 16 bits, whose fraction has `fraction_bits`.
template <int fraction_bits, bool is_b>
WARPSIM_INLINE Pairs exponents(Words pair, int bias, std::uint16_t first_special) {
    constexpr int to_right = fraction_bits - 5, added = is_b ? bias_of_b : 0;
    Pairs const magnitude = as<Pairs>(pair & 0x7fff7fffu);
    constexpr std::int16_t field = static_cast<std::int16_t>(0x7fff >> fraction_bits << 5);
    Pairs const exponent = max(as<Pairs>(as<WordPairs>(magnitude) >> to_right) & field, exponent_pairs(1));
    Pairs const finite =
        magnitude == Pairs{} ? exponent_pairs(none + added) : exponent - exponent_pairs(bias - added);
    return magnitude >= static_cast<std::int16_t>(first_special) ? exponent_pairs(special) : finite;
}

/// The values and exponents of one vector of words: f(plane, value), g(exponent plane, exponents).
template <Elements elements, bool is_b, class F, class G>
WARPSIM_INLINE void decode(Words word, Decoding const& how, F const& f, G const& g) {
    if constexpr (elements == Elements::halves) {
        f(0, low_halves_as_floats(word));
        f(1, low_halves_as_floats(word >> 16));
        g(0, exponents<10, is_b>(word, 15, 0x7c00));
    } else if constexpr (elements == Elements::bfloats) {
        f(0, as<Floats>(word << 16));
        f(1, as<Floats>(word & 0xffff0000u));
        g(0, exponents<7, is_b>(word, 127, 0x7f80));
    } else if constexpr (elements == Elements::tfloats) {
        Words const value = word & 0xffffe000u;
        f(0, as<Floats>(value));
        // As for bf16 in the upper half; a bit of the fraction below it may be all that tells a number from zero.
        Words const upper = value >> 16 | (as<Words>((value & 0xffffu) != Words{}) & 1u);
        g(0, exponents<7, is_b>(upper, 127, 0x7f80));
    } else {
        constexpr int step = elements == Elements::bytes ? 8 : 4;
        for (int i = 0; i < 16 / step; ++i) {
            Words const codes = word >> (i * step);
            Words const pair = (codes & how.magnitude) << how.magnitude_shift | (codes & how.sign)
                                                                                    << how.sign_shift;
            f(2 * i, low_halves_as_floats(pair));
            f(2 * i + 1, low_halves_as_floats(pair >> 16));
            g(i, exponents<10, is_b>(pair, how.bias, how.first_special));
        }
    }
}

/// The rows of a block of a, by four words: values[number of the four * planes + plane].
struct alignas(64) Rows {
    float values[most_planes * most_words / 4][row_words];
    std::uint32_t exponents[most_planes / 2 * most_words / 4][row_words];
};
/// `from` has `words` of each row: four of all rows, then four more.
template <Elements elements>
inline void decode_rows(Rows& to, std::uint32_t const* from, int words, Decoding const& how) {
    constexpr int planes = planes_of(elements), exponent_planes = exponent_planes_of(elements);
    for (int four = 0; four < words / 4; ++four, from += row_words) {
        for (int at = 0; at < row_words; at += lanes) {
            decode<elements, false>(
                load<Words>(from + at), how, [&](int p, Floats v) { store(&to.values[four * planes + p][at], v); },
                [&](int p, Pairs e) { store(&to.exponents[four * exponent_planes + p][at], e); });
        }
    }
}

/// Eight columns of b. For each plane and word four even columns and four odd ones, again for each row of a vector:
/// values[place_in_tile(plane, word)] and the next.
struct alignas(64) Tile {
    float values[2 * most_planes * most_words][lanes];
    std::uint32_t exponents[most_planes * most_words][lanes];
};
constexpr int place_in_tile(int plane, int word) { return 2 * (plane * most_words + word); }

/// Four words of eight columns: vectors of fours, which have word 0 of the even columns, of the odd ones, word 1 and so on.
inline constexpr int vectors_of_four = 32 / lanes;
WARPSIM_INLINE void transpose_columns(Words (&to)[vectors_of_four], std::uint32_t const* from) {
#if defined(__AVX2__)
    // Two columns in each register, which have the same places in its halves.
    __m256 pairs[4];
    for (int i = 0; i < 4; ++i) pairs[i] = _mm256_loadu_ps(reinterpret_cast<float const*>(from) + 8 * i);
    __m256 const low[2] = {_mm256_unpacklo_ps(pairs[0], pairs[1]), _mm256_unpackhi_ps(pairs[0], pairs[1])};
    __m256 const high[2] = {_mm256_unpacklo_ps(pairs[2], pairs[3]), _mm256_unpackhi_ps(pairs[2], pairs[3])};
    __m256i words[4];
    for (int i = 0; i < 2; ++i) {
        words[2 * i] = _mm256_castps_si256(_mm256_shuffle_ps(low[i], high[i], 0x44));
        words[2 * i + 1] = _mm256_castps_si256(_mm256_shuffle_ps(low[i], high[i], 0xee));
    }
#if defined(__AVX512F__) && defined(__AVX512BW__)
    for (int i = 0; i < 2; ++i) to[i] = join(words[2 * i], words[2 * i + 1]);
#else
    for (int i = 0; i < 4; ++i) to[i] = as<Words>(words[i]);
#endif
#else
    for (int odd = 0; odd < 2; ++odd) {
        __m128 r[4];
        for (int i = 0; i < 4; ++i) r[i] = _mm_loadu_ps(reinterpret_cast<float const*>(from) + 8 * i + 4 * odd);
        _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
        for (int i = 0; i < 4; ++i) to[2 * i + odd] = as<Words>(_mm_castps_si128(r[i]));
    }
#endif
}

/// Stores the fours of a vector, each for all rows.
template <class V> WARPSIM_INLINE void store_fours(std::uint32_t (*to)[lanes], V fours) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
    auto const bits = as<__m512i>(fours);
    store(to[0], _mm512_shuffle_i32x4(bits, bits, 0x00));
    store(to[1], _mm512_shuffle_i32x4(bits, bits, 0x55));
    store(to[2], _mm512_shuffle_i32x4(bits, bits, 0xaa));
    store(to[3], _mm512_shuffle_i32x4(bits, bits, 0xff));
#elif defined(__AVX2__)
    auto const bits = as<__m256i>(fours);
    store(to[0], _mm256_permute2x128_si256(bits, bits, 0x00));
    store(to[1], _mm256_permute2x128_si256(bits, bits, 0x11));
#else
    store(to[0], fours);
#endif
}
template <class V> WARPSIM_INLINE void store_fours(float (*to)[lanes], V fours) {
    store_fours(reinterpret_cast<std::uint32_t(*)[lanes]>(to), fours);
}

template <Elements elements>
inline void decode_tile(Tile& to, std::uint32_t const* from, int words, Decoding const& how) {
    for (int four = 0; four < words / 4; ++four, from += 32) {
        Words transposed[vectors_of_four];
        transpose_columns(transposed, from);
        for (int v = 0; v < vectors_of_four; ++v) {
            int const first = 8 * four + v * lanes / 4;
            decode<elements, true>(
                transposed[v], how,
                [&](int p, Floats f) { store_fours(&to.values[place_in_tile(p, 0) + first], f); },
                [&](int p, Pairs e) { store_fours(&to.exponents[place_in_tile(p, 0) + first], e); });
        }
    }
}

/// f.operator()<i>() for `count` numbers from `first` on.
template <int first, int count, class F> WARPSIM_INLINE void unrolled(F const& f) {
    if constexpr (count > 0) {
        f.template operator()<first>();
        unrolled<first + 1, count - 1>(f);
    }
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
