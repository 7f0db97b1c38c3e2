// Sums of aligned terms (Sum::aligned). A product of two significands fits a float, and a term that is cut fits an integer
// of 32 bits: multiplied by the power of two that makes the last place kept a unit, the float is converted toward zero.
#pragma once

#include "sim/matrix/lanes/decode.hpp"

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

/// Whether sums of 32 bits suffice: products are below 4, their number is a power of two.
inline bool fits(FloatProduct const& product, int in_word) {
    Accumulator const& how = product.accumulator;
    int bits = 0;
    while (1 << bits < how.group) ++bits;
    return how.sum == Sum::aligned && product.scale_block == 0 && !how.rounds_to_nearest &&
           how.group % in_word == 0 && how.extra_bits + bits <= 6 && how.extra_bits >= -13;
}

/// Exponents that the powers of two above can be had for; others are left to the reference.
inline constexpr int highest = 100, lowest = -98;

/// What is the same for all elements.
struct AlignedSums {
    int group_words;
    int unit;           // of a sum of exponent e: 2^(e - unit)
    int product_shift;  // the floats are that many powers of two too small
    int floor;
    std::int32_t kept;  // bits of a result
};

WARPSIM_INLINE Floats power_of_two(Ints exponent) { return as<Floats>((exponent + 127) << 23); }

/// Modulo 2^32: in lanes where only the reference knows, the terms may be any.
WARPSIM_INLINE Ints wrapping_sum(Ints a, Ints b) { return as<Ints>(as<Words>(a) + as<Words>(b)); }

/// The largest exponent of the products of a group, and `trouble` where only the reference knows.
template <int exponent_planes>
WARPSIM_INLINE Ints largest_exponent(Rows const& a, Columns const& b, int n, int row, int first, int past) {
    Pairs largest = Pairs{} + std::int16_t{-32767};
    for (int w = first; w < past; ++w) {
        for (int p = 0; p < exponent_planes; ++p) {
            Pairs const of_b = as<Pairs>(every(b.exponents[n][p][w]));
            largest = max(largest, load<Pairs>(&a.exponents[p][w][row]) + of_b);
        }
    }
    Ints const pair = as<Ints>(largest);
    return max((pair << 16) >> 16, pair >> 16);
}

/// d = a * b + d of one column in the rows of one vector; the lanes whose sign is set are not right.
template <Elements elements, bool is_f16>
WARPSIM_INLINE Ints column(AlignedSums const& s, Rows const& a, Columns const& b, int words, std::uint32_t* d,
                           int n, int row) {
    Words const c = load<Words>(d);
    Floats sum = is_f16 ? low_halves_as_floats(c) : as<Floats>(c);
    Ints trouble{};
    int const low = lowest + s.product_shift;
    Ints const floor = every(s.floor > low ? s.floor : low);
    for (int first = 0; first < words; first += s.group_words) {
        int const past = first + s.group_words;
        Ints e = largest_exponent<exponent_planes_of(elements)>(a, b, n, row, first, past);
        Ints const magnitude = as<Ints>(sum) & 0x7fffffff;
        Ints const of_c = max(magnitude >> 23, every(1)) - 127;
        Ints const c_is_zero = magnitude == Ints{};
        e = max(e, (of_c & ~c_is_zero) | (c_is_zero & none));
        trouble |= (highest - e) | ((e - low) & (surely_none - e));
        e = max(e, floor);
        Floats const scale = power_of_two(s.unit + s.product_shift - e);
        Ints total{};
        for (int w = first; w < past; ++w) {
            for (int p = 0; p < planes_of(elements); ++p) {
                total = wrapping_sum(total,
                                     to_integers(load<Floats>(&a.values[p][w][row]) * b.values[n][p][w] * scale));
            }
        }
        Ints const addend = to_integers(sum * power_of_two(s.unit - e));
        Ints const all = wrapping_sum(total, addend);
        trouble |= (total ^ all) & (addend ^ all);
        // The host rounds toward zero.
        Floats result = to_floats(all);
        if constexpr (is_f16) {
            // To odd, so that rounding to f16 sees that something is lost.
            Ints const is_inexact = to_integers(result) != all;
            result = as<Floats>(as<Ints>(result) | (is_inexact & 1));
            Words const half = halves_of_floats(result * power_of_two(e - s.unit));
            sum = low_halves_as_floats(half);
            store(d, half);
        } else {
            sum = as<Floats>(as<Ints>(result) & s.kept) * power_of_two(e - s.unit);
            store(d, sum);
        }
    }
    return trouble;
}

/// Computes a column again, in the rows whose bit is set.
[[gnu::cold, gnu::noinline]] inline void refer(FloatProduct const& product, Block& block, int n,
                                               std::uint32_t rows, std::uint32_t const* c) {
    for (int row = 0; row < block_rows; ++row) {
        if ((rows >> row & 1) == 0) continue;
        Vector const a{&block.a[0][row], block_rows, &block.a_scales[0][row], block_rows};
        Vector const b{block.b[n], 1, block.b_scales[n], 1};
        block.d[n][row] = reference(product, a, b, block.words, c[row]);
    }
}

template <Elements elements, bool is_f16>
[[gnu::noinline]] inline void aligned_sums(FloatProduct const& product, AlignedSums const& s, Rows const& a,
                                           Columns const& b, Block& block) {
    for (int n = 0; n < block.columns; ++n) {
        std::uint32_t c[block_rows];
        __builtin_memcpy(c, block.d[n], sizeof c);
        std::uint32_t wrong = 0;
        for (int row = 0; row < block_rows; row += lanes) {
            Ints const trouble = column<elements, is_f16>(s, a, b, block.words, &block.d[n][row], n, row);
            wrong |= signs(trouble) << row;
        }
        if (wrong != 0) [[unlikely]]
            refer(product, block, n, wrong, c);
    }
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
