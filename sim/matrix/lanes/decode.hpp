// Elements of matrices as floats and exponents, a row in each lane or words of a column side by side.
#pragma once

#include "sim/matrix/lanes/vectors.hpp"
#include "sim/matrix/number.hpp"
#include "sim/matrix/products.hpp"

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

// Exponents that say more than a number: of zero, and of infinity and NaN. Sums of any two of them and of ordinary ones
// (at most 254 from zero) fit 16 bits and tell what took part.
inline constexpr std::int16_t none = -8000;
inline constexpr std::int16_t special = 16000;
inline constexpr int surely_none = -4000, surely_special = 4000;

inline constexpr int most_planes = 8;

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

/// Exponents of two numbers of 16 bits, whose fraction has `fraction_bits`.
template <int fraction_bits>
WARPSIM_INLINE Pairs exponents(Words pair, std::int16_t bias, std::uint16_t first_special) {
    WordPairs const magnitude = as<WordPairs>(pair & 0x7fff7fffu);
    Pairs const field = as<Pairs>(magnitude >> fraction_bits);
    Pairs const exponent = max(field, Pairs{} + std::int16_t{1}) - bias;
    Pairs const is_zero = as<Pairs>(magnitude == WordPairs{});
    Pairs const is_special = as<Pairs>(as<Pairs>(magnitude) >= static_cast<std::int16_t>(first_special));
    Pairs const finite = (exponent & ~is_zero) | (is_zero & none);
    return (finite & ~is_special) | (is_special & special);
}

/// The values and exponents of one vector of words: f(plane, value), g(exponent plane, exponents).
template <Elements elements, class F, class G>
WARPSIM_INLINE void decode(Words word, Decoding const& how, F const& f, G const& g) {
    if constexpr (elements == Elements::halves) {
        f(0, low_halves_as_floats(word));
        f(1, low_halves_as_floats(word >> 16));
        g(0, exponents<10>(word, 15, 0x7c00));
    } else if constexpr (elements == Elements::bfloats) {
        f(0, as<Floats>(word << 16));
        f(1, as<Floats>(word & 0xffff0000u));
        g(0, exponents<7>(word, 127, 0x7f80));
    } else if constexpr (elements == Elements::tfloats) {
        Words const value = word & 0xffffe000u;
        f(0, as<Floats>(value));
        Ints const magnitude = as<Ints>(value & 0x7fffffffu);
        Ints const exponent = max(magnitude >> 23, every(1)) - 127;
        Ints const is_zero = magnitude == Ints{}, is_special = magnitude >= every(0x7f800000);
        Ints const finite = (exponent & ~is_zero) | (is_zero & none);
        Ints const low = (finite & ~is_special) | (is_special & special);
        constexpr std::int32_t upper_none = none * 0x10000;
        g(0, as<Pairs>((low & 0xffff) | upper_none));
    } else {
        constexpr int step = elements == Elements::bytes ? 8 : 4;
        for (int i = 0; i < 16 / step; ++i) {
            Words const codes = word >> (i * step);
            Words const pair = (codes & how.magnitude) << how.magnitude_shift | (codes & how.sign)
                                                                                    << how.sign_shift;
            f(2 * i, low_halves_as_floats(pair));
            f(2 * i + 1, low_halves_as_floats(pair >> 16));
            g(i, exponents<10>(pair, how.bias, how.first_special));
        }
    }
}

/// The rows of a block of a: a lane for each row.
struct alignas(64) Rows {
    float values[most_planes][most_words][block_rows];
    std::uint32_t exponents[most_planes / 2][most_words][block_rows];
};
/// The columns of b: each value is for all lanes.
struct alignas(64) Columns {
    float values[most_columns][most_planes][most_words];
    std::uint32_t exponents[most_columns][most_planes / 2][most_words];
};

template <Elements elements> inline void decode_rows(Rows& to, Block const& from, Decoding const& how) {
    for (int w = 0; w < from.words; ++w) {
        for (int row = 0; row < block_rows; row += lanes) {
            decode<elements>(
                load<Words>(&from.a[w][row]), how, [&](int p, Floats v) { store(&to.values[p][w][row], v); },
                [&](int p, Pairs e) { store(&to.exponents[p][w][row], e); });
        }
    }
}
/// Two columns in one vector, where they have half as many words as it.
template <Elements elements> inline void decode_column_pairs(Columns& to, Block const& from, Decoding const& how) {
    for (int n = 0; n < from.columns; n += 2) {
        decode<elements>(
            join(load<HalfWords>(from.b[n]), load<HalfWords>(from.b[n + 1])), how,
            [&](int p, Floats v) {
                store(to.values[n][p], low_half(v));
                store(to.values[n + 1][p], high_half(v));
            },
            [&](int p, Pairs e) {
                store(to.exponents[n][p], low_half(e));
                store(to.exponents[n + 1][p], high_half(e));
            });
    }
}
template <Elements elements> inline void decode_columns(Columns& to, Block const& from, Decoding const& how) {
    if (from.words <= lanes / 2) return decode_column_pairs<elements>(to, from, how);
    for (int n = 0; n < from.columns; ++n) {
        for (int w = 0; w < from.words; w += lanes) {
            decode<elements>(
                load<Words>(&from.b[n][w]), how, [&](int p, Floats v) { store(&to.values[n][p][w], v); },
                [&](int p, Pairs e) { store(&to.exponents[n][p][w], e); });
        }
    }
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
