// Exact sums (Sum::exact) in double precision: products of such short significands are exact there, and so are most of
// their sums. The host says when one was not.
#pragma once

#include "sim/matrix/lanes/aligned_sums.hpp"

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

inline constexpr int double_lanes = lanes / 2;
inline constexpr int double_vectors = block_rows / double_lanes;
inline constexpr int most_values = most_planes * most_words;

struct alignas(64) DoubleRows {
    double values[most_values][block_rows];
    std::uint32_t special;  // rows that hold infinities or NaNs
};

inline double power_of_two_f64(int exponent) {
    std::int64_t const bits = std::int64_t{exponent + 1023} << 52;
    return std::bit_cast<double>(bits);
}

/// A scale as a double; `is_nan` is set for those that are none.
inline double scale_value(FloatProduct const& product, std::uint8_t code, bool& is_nan) {
    if (!product.scales_are_e4m3) {
        is_nan = is_nan || code == 0xff;
        return power_of_two_f64(code - 127);
    }
    int const magnitude = code & 0x7f;
    is_nan = is_nan || magnitude == 0x7f;
    int const field = magnitude >> 3, fraction = magnitude & 7;
    return field == 0 ? fraction * 0x1p-9 : (8 + fraction) * power_of_two_f64(field - 10);
}

/// Words of a block of k that share a scale; of all words, where there are none.
inline int scaled_words(FloatProduct const& product, int words, int in_word) {
    return product.scale_block == 0 ? words : product.scale_block / in_word;
}

inline bool is_special_pair(std::uint32_t exponents) {
    return static_cast<std::int16_t>(exponents & 0xffff) > surely_special ||
           static_cast<std::int16_t>(exponents >> 16) > surely_special;
}

template <Elements elements>
inline void widen_rows(DoubleRows& to, FloatProduct const& product, Block const& block, Rows const& from,
                       double power) {
    constexpr int planes = planes_of(elements);
    int const block_words = scaled_words(product, block.words, planes);
    to.special = 0;
    for (int w = 0; w < block.words; ++w) {
        double factors[block_rows];
        for (int row = 0; row < block_rows; ++row) {
            bool is_nan = false;
            factors[row] = power;
            if (product.scale_block != 0)
                factors[row] *= scale_value(product, block.a_scales[w / block_words][row], is_nan);
            for (int p = 0; p < exponent_planes_of(elements); ++p)
                is_nan |= is_special_pair(from.exponents[p][w][row]);
            to.special |= (is_nan ? 1u : 0u) << row;
        }
        for (int p = 0; p < planes; ++p) {
            for (int row = 0; row < block_rows; ++row) {
                to.values[p * block.words + w][row] = static_cast<double>(from.values[p][w][row]) * factors[row];
            }
        }
    }
}

/// A column's values in the order of DoubleRows; whether one of them is no number.
template <Elements elements>
inline bool widen_column(double* to, FloatProduct const& product, Block const& block, Columns const& from, int n,
                         double power) {
    constexpr int planes = planes_of(elements);
    int const block_words = scaled_words(product, block.words, planes);
    bool is_special = false;
    for (int w = 0; w < block.words; ++w) {
        double factor = power;
        if (product.scale_block != 0)
            factor *= scale_value(product, block.b_scales[n][w / block_words], is_special);
        for (int p = 0; p < exponent_planes_of(elements); ++p)
            is_special |= is_special_pair(from.exponents[n][p][w]);
        for (int p = 0; p < planes; ++p) {
            to[p * block.words + w] = static_cast<double>(from.values[n][p][w]) * factor;
        }
    }
    return is_special;
}

/// Sums of products, and whether they are exact. The empty statements keep the arithmetic between the two accesses to the
/// host's flags.
WARPSIM_INLINE bool sum_products(Doubles (&sums)[double_vectors], DoubleRows const& a, double const* b,
                                 int values) {
    constexpr unsigned inexact = 0x20;
    unsigned flags = _mm_getcsr() & ~0x3fu;
    asm volatile("ldmxcsr %0" : : "m"(flags));
    for (Doubles& sum : sums) {
        sum = Doubles{};
        asm volatile("" : "+x"(sum));
    }
    for (int k = 0; k < values; ++k) {
        Doubles const factor = Doubles{} + b[k];
        for (int v = 0; v < double_vectors; ++v) {
            sums[v] = multiply_add(load<Doubles>(&a.values[k][v * double_lanes]), factor, sums[v]);
        }
    }
    for (Doubles& sum : sums) asm volatile("" : "+x"(sum));
    asm volatile("stmxcsr %0" : "=m"(flags));
    return (flags & inexact) == 0;
}

/// Of two neighbours, between which or at one of which the exact value lies, the odd one: `rounded` is the nearest double,
/// `error` what it lacks.
WARPSIM_INLINE Doubles to_odd(Doubles rounded, Doubles error) {
    Longs const bits = as<Longs>(rounded);
    Longs const is_inexact = error != Doubles{};
    Longs const is_even = (bits & 1) - 1;
    Longs const is_away = (as<Longs>(error) ^ bits) >= Longs{};  // from zero: the exact value is the larger one
    Longs const step = (is_away & 2) - 1;
    return as<Doubles>(bits + (is_inexact & is_even & step));
}

/// sum + c, rounded once. The host rounds to nearest.
template <bool is_f16> WARPSIM_INLINE void add_and_store(Doubles sum, std::uint32_t* d) {
    HalfFloats c;
    if constexpr (is_f16) {
        alignas(64) std::uint32_t words[lanes]{};
        __builtin_memcpy(words, d, sizeof c);
        Floats const all = low_halves_as_floats(load<Words>(words));
        __builtin_memcpy(&c, &all, sizeof c);
    } else {
        c = load<HalfFloats>(d);
    }
    Doubles const addend = __builtin_convertvector(c, Doubles);
    Doubles const near = sum + addend;
    Doubles const part = near - sum;
    Doubles const error = (sum - (near - part)) + (addend - part);
    Doubles const odd = to_odd(near, error);
    HalfFloats const result = __builtin_convertvector(odd, HalfFloats);
    if constexpr (is_f16) {
        Doubles const lost = odd - __builtin_convertvector(result, Doubles);
        alignas(64) float floats[lanes]{};
        for (int i = 0; i < double_lanes; ++i) {
            std::int32_t bits = std::bit_cast<std::int32_t>(result[i]);
            bool const is_infinite = (bits & 0x7fffffff) == 0x7f800000;
            if (lost[i] != 0 && (bits & 1) == 0 && !is_infinite) bits += (lost[i] < 0) == (bits < 0) ? 1 : -1;
            floats[i] = std::bit_cast<float>(bits);
        }
        Words const halves = halves_of_floats(load<Floats>(floats));
        __builtin_memcpy(d, &halves, sizeof result);
    } else {
        store(d, result);
    }
}

/// Rows whose addend is infinity or NaN.
template <bool is_f16> inline std::uint32_t special_addends(std::uint32_t const* c) {
    std::uint32_t rows = 0;
    for (int row = 0; row < block_rows; ++row) {
        bool const is_special = is_f16 ? (c[row] & 0x7c00) == 0x7c00 : (c[row] & 0x7f800000) == 0x7f800000;
        rows |= (is_special ? 1u : 0u) << row;
    }
    return rows;
}

template <Elements elements, bool is_f16>
[[gnu::noinline]] inline void exact_sums(FloatProduct const& product, Rows const& a, Columns const& b,
                                         Block& block, int a_shift, int b_shift) {
    constexpr std::uint32_t all_rows = (1u << block_rows) - 1;
    DoubleRows rows;
    widen_rows<elements>(rows, product, block, a, power_of_two_f64(a_shift));
    int const values = planes_of(elements) * block.words;
    for (int n = 0; n < block.columns; ++n) {
        std::uint32_t c[block_rows];
        __builtin_memcpy(c, block.d[n], sizeof c);
        double of_b[most_values];
        bool const is_special = widen_column<elements>(of_b, product, block, b, n, power_of_two_f64(b_shift));
        std::uint32_t wrong = is_special ? all_rows : rows.special | special_addends<is_f16>(c);
        Doubles sums[double_vectors];
        if (!sum_products(sums, rows, of_b, values)) wrong = all_rows;
        for (int v = 0; v < double_vectors; ++v) add_and_store<is_f16>(sums[v], &block.d[n][v * double_lanes]);
        if (wrong != 0) [[unlikely]]
            refer(product, block, n, wrong, c);
    }
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
