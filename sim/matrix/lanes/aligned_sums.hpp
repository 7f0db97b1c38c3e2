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

/// Modulo 2^32 or 2^16: in lanes where only the reference knows, and in a column behind the last one, the terms may be any.
WARPSIM_INLINE Ints wrapping_sum(Ints a, Ints b) { return as<Ints>(as<Words>(a) + as<Words>(b)); }
WARPSIM_INLINE Pairs wrapping_sum(Pairs a, Pairs b) { return as<Pairs>(as<WordPairs>(a) + as<WordPairs>(b)); }

/// The largest exponent of the products of a group in one column.
template <int exponent_planes>
WARPSIM_INLINE Ints largest_exponent(Rows const& a, Columns const& b, int n, int row, int first, int past) {
    Pairs largest = Pairs{} + std::int16_t{-32767};
#pragma GCC unroll 8
    for (int w = first; w < past; ++w) {
        for (int p = 0; p < exponent_planes; ++p) {
            Pairs const of_b = as<Pairs>(every(b.exponents[n][p][w]));
            largest = max(largest, wrapping_sum(load<Pairs>(&a.exponents[p][w][row]), of_b));
        }
    }
    Ints const pair = as<Ints>(largest);
    return max((pair << 16) >> 16, pair >> 16);
}

/// The exponent of an addend; of zero it is `none`.
WARPSIM_INLINE Ints exponent_of_addend(Floats c) {
    Ints const magnitude = as<Ints>(c) & 0x7fffffff;
    Ints const exponent = max(magnitude >> 23, every(1)) - 127;
    Ints const is_zero = magnitude == Ints{};
    return (exponent & ~is_zero) | (is_zero & none);
}

/// Columns that are computed together: each value of a is loaded once for all of them.
inline constexpr int columns_together = 2;

/// A group of products and the sum before it in a few columns, in the rows of one vector. The sign of `trouble` is set where
/// the results are not right.
template <Elements elements, bool is_f16>
WARPSIM_INLINE void add_group(AlignedSums const& s, Rows const& a, Columns const& b, int first, int past, int n,
                              int row, Floats (&sums)[columns_together], Ints (&trouble)[columns_together]) {
    int const low = lowest + s.product_shift;
    Ints exponents[columns_together], totals[columns_together]{};
    Floats scales[columns_together];
    for (int j = 0; j < columns_together; ++j) {
        Ints e = largest_exponent<exponent_planes_of(elements)>(a, b, n + j, row, first, past);
        e = max(e, exponent_of_addend(sums[j]));
        trouble[j] |= (highest - e) | ((e - low) & (surely_none - e));
        exponents[j] = max(e, every(s.floor > low ? s.floor : low));
        scales[j] = power_of_two(s.unit + s.product_shift - exponents[j]);
    }
#pragma GCC unroll 8
    for (int w = first; w < past; ++w) {
        for (int p = 0; p < planes_of(elements); ++p) {
            Floats const value = load<Floats>(&a.values[p][w][row]);
            for (int j = 0; j < columns_together; ++j)
                totals[j] = wrapping_sum(totals[j], to_integers(value * b.values[n + j][p][w] * scales[j]));
        }
    }
    for (int j = 0; j < columns_together; ++j) {
        Ints const addend = to_integers(sums[j] * power_of_two(s.unit - exponents[j]));
        Ints const all = wrapping_sum(totals[j], addend);
        trouble[j] |= (totals[j] ^ all) & (addend ^ all);
        // The host rounds toward zero.
        Floats result = to_floats(all);
        if constexpr (is_f16) {
            // To odd, so that rounding to f16 sees that something is lost.
            Ints const is_inexact = to_integers(result) != all;
            result = as<Floats>(as<Ints>(result) | (is_inexact & 1));
            sums[j] = low_halves_as_floats(halves_of_floats(result * power_of_two(exponents[j] - s.unit)));
        } else {
            sums[j] = as<Floats>(as<Ints>(result) & s.kept) * power_of_two(exponents[j] - s.unit);
        }
    }
}

/// d = a * b + d of a few columns in the rows of one vector; the rows whose results are not right are added to `wrong`.
template <Elements elements, bool is_f16, int fixed_words>
WARPSIM_INLINE void few_columns(AlignedSums const& s, Rows const& a, Columns const& b, Block& block, int n,
                                int row, std::uint32_t (&wrong)[columns_together]) {
    Floats sums[columns_together];
    Ints trouble[columns_together]{};
    for (int j = 0; j < columns_together; ++j) {
        Words const c = load<Words>(&block.d[n + j][row]);
        sums[j] = is_f16 ? low_halves_as_floats(c) : as<Floats>(c);
    }
    int const group_words = fixed_words != 0 ? fixed_words : s.group_words;
    for (int first = 0; first < block.words; first += group_words)
        add_group<elements, is_f16>(s, a, b, first, first + group_words, n, row, sums, trouble);
    for (int j = 0; j < columns_together; ++j) {
        store(&block.d[n + j][row], is_f16 ? halves_of_floats(sums[j]) : as<Words>(sums[j]));
        wrong[j] |= signs(trouble[j]) << row;
    }
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

/// Groups of `fixed_words` words; 0: of any number.
template <Elements elements, bool is_f16, int fixed_words>
[[gnu::noinline]] inline void sum_groups(FloatProduct const& product, AlignedSums const& s, Rows const& a,
                                         Columns const& b, Block& block) {
    for (int n = 0; n < block.columns; n += columns_together) {
        std::uint32_t c[columns_together][block_rows];
        __builtin_memcpy(c, block.d[n], sizeof c);
        std::uint32_t wrong[columns_together] = {};
        for (int row = 0; row < block_rows; row += lanes)
            few_columns<elements, is_f16, fixed_words>(s, a, b, block, n, row, wrong);
        for (int j = 0; j < columns_together; ++j) {
            if (wrong[j] != 0) [[unlikely]]
                refer(product, block, n + j, wrong[j], c[j]);
        }
    }
}

template <Elements elements, bool is_f16>
inline void aligned_sums(FloatProduct const& product, AlignedSums const& s, Rows const& a, Columns const& b,
                         Block& block) {
    if constexpr (elements != Elements::nibbles) {
        switch (s.group_words) {
            case 2: return sum_groups<elements, is_f16, 2>(product, s, a, b, block);
            case 4: return sum_groups<elements, is_f16, 4>(product, s, a, b, block);
            case 8: return sum_groups<elements, is_f16, 8>(product, s, a, b, block);
            default: break;
        }
    }
    sum_groups<elements, is_f16, 0>(product, s, a, b, block);
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
