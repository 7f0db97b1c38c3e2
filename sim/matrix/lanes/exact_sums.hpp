// Exact sums (Sum::exact) in double precision: products of such short significands are exact there, and so are most of
// their sums. The host says when one was not.
#pragma once

#include "sim/matrix/lanes/aligned_sums.hpp"

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

inline constexpr int double_lanes = lanes / 2;
inline constexpr int double_vectors = block_rows / double_lanes;
inline constexpr int most_values = most_planes * most_words;

/// The numbers are as many powers of two too small as the floats that they come from.
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

/// The bits that only the exponents of infinities and NaNs have; not where no number stands, whose exponent is negative.
inline constexpr std::uint32_t special_bits = 0x20002000;
static_assert((special & 0x2000) != 0 && special > 0 && (none & 0x8000) != 0);
template <class V> WARPSIM_INLINE V special_bits_of(V exponents) { return exponents & ~(exponents >> 2); }

template <Elements elements> inline std::uint32_t special_rows(Rows const& from, int words) {
    std::uint32_t rows = 0;
    for (int row = 0; row < block_rows; row += lanes) {
        Words found{};
        for (int w = 0; w < words; ++w) {
            for (int p = 0; p < exponent_planes_of(elements); ++p)
                found |= special_bits_of(load<Words>(&from.exponents[p][w][row]));
        }
        rows |= signs(as<Ints>((found & special_bits) != Words{})) << row;
    }
    return rows;
}

/// Scales are part of the values; powers of two that all values share are left to the sum.
template <Elements elements>
inline void widen_rows(DoubleRows& to, FloatProduct const& product, Block const& block, Rows const& from) {
    constexpr int planes = planes_of(elements);
    to.special = special_rows<elements>(from, block.words);
    for (int w = 0; w < block.words; ++w) {
        for (int p = 0; p < planes; ++p) {
            for (int row = 0; row < block_rows; row += double_lanes) {
                store(&to.values[p * block.words + w][row],
                      __builtin_convertvector(load<HalfFloats>(&from.values[p][w][row]), Doubles));
            }
        }
    }
    if (product.scale_block == 0) return;
    int const block_words = scaled_words(product, block.words, planes);
    for (int row = 0; row < block_rows; ++row) {
        bool is_nan = false;
        for (int w = 0; w < block.words; ++w) {
            double const factor = scale_value(product, block.a_scales[w / block_words][row], is_nan);
            for (int p = 0; p < planes; ++p) to.values[p * block.words + w][row] *= factor;
        }
        to.special |= (is_nan ? 1u : 0u) << row;
    }
}

/// A column's values in the order of DoubleRows; whether one of them is no number.
template <Elements elements>
inline bool widen_column(double* to, FloatProduct const& product, Block const& block, Columns const& from, int n) {
    constexpr int planes = planes_of(elements);
    std::uint32_t found = 0;
    for (int p = 0; p < exponent_planes_of(elements); ++p)
        for (int w = 0; w < block.words; ++w) found |= special_bits_of(from.exponents[n][p][w]);
    for (int p = 0; p < planes; ++p)
        for (int w = 0; w < block.words; ++w) to[p * block.words + w] = static_cast<double>(from.values[n][p][w]);
    bool is_special = (found & special_bits) != 0;
    if (product.scale_block == 0) return is_special;
    int const block_words = scaled_words(product, block.words, planes);
    for (int w = 0; w < block.words; ++w) {
        double const factor = scale_value(product, block.b_scales[n][w / block_words], is_special);
        for (int p = 0; p < planes; ++p) to[p * block.words + w] *= factor;
    }
    return is_special;
}

/// Columns whose sums are kept in the host's registers together.
inline constexpr int exact_columns = 8 / double_vectors;

/// Reads the host's flags: whether everything since it was made is exact. The empty statements keep the arithmetic between
/// the two accesses to the flags.
class Exactness {
public:
    Exactness() {
        unsigned const flags = _mm_getcsr() & ~0x3fu;
        asm volatile("ldmxcsr %0" : : "m"(flags) : "memory");
    }
    bool is_exact() const {
        constexpr unsigned inexact = 0x20;
        unsigned flags = 0;
        asm volatile("stmxcsr %0" : "=m"(flags) : : "memory");
        return (flags & inexact) == 0;
    }
};

/// Sums of products of a few columns.
template <std::size_t columns>
WARPSIM_INLINE void sum_products(Doubles (&sums)[columns][double_vectors], DoubleRows const& a,
                                 double const (*b)[most_values], int values) {
    for (auto& column : sums) {
        for (Doubles& sum : column) {
            sum = Doubles{};
            asm volatile("" : "+x"(sum));
        }
    }
    for (int k = 0; k < values; ++k) {
        for (int v = 0; v < double_vectors; ++v) {
            Doubles const value = load<Doubles>(&a.values[k][v * double_lanes]);
            for (std::size_t n = 0; n < columns; ++n)
                sums[n][v] = multiply_add(value, Doubles{} + b[n][k], sums[n][v]);
        }
    }
    for (auto& column : sums)
        for (Doubles& sum : column) asm volatile("" : "+x"(sum));
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
    constexpr std::uint32_t exponent = is_f16 ? 0x7c00 : 0x7f800000;
    std::uint32_t rows = 0;
    for (int row = 0; row < block_rows; row += lanes)
        rows |= signs(as<Ints>((load<Words>(c + row) & exponent) == exponent)) << row;
    return rows;
}

/// Computes the columns from `first` on; false where one of their sums before the addend is not exact, and then nothing is
/// stored.
template <bool is_f16, std::size_t columns>
inline bool add_exact_columns(DoubleRows const& a, double const (*b)[most_values], int values, double power,
                              Block& block, int first) {
    Doubles sums[columns][double_vectors];
    Exactness const exactness;
    sum_products<columns>(sums, a, b, values);
    if (!exactness.is_exact()) return false;
    for (std::size_t n = 0; n < columns; ++n) {
        for (int v = 0; v < double_vectors; ++v)
            add_and_store<is_f16>(sums[n][v] * power, &block.d[first + static_cast<int>(n)][v * double_lanes]);
    }
    return true;
}

template <Elements elements, bool is_f16>
[[gnu::noinline]] inline void exact_sums(FloatProduct const& product, Rows const& a, Columns const& b,
                                         Block& block, int shift) {
    constexpr std::uint32_t all_rows = (1u << block_rows) - 1;
    DoubleRows rows;
    widen_rows<elements>(rows, product, block, a);
    double const power = power_of_two_f64(shift);
    int const values = planes_of(elements) * block.words;
    for (int first = 0; first < block.columns; first += exact_columns) {
        std::uint32_t c[exact_columns][block_rows];
        __builtin_memcpy(c, block.d[first], sizeof c);
        alignas(64) double of_b[exact_columns][most_values];
        std::uint32_t wrong[exact_columns];
        for (int n = 0; n < exact_columns; ++n) {
            bool const is_special = widen_column<elements>(of_b[n], product, block, b, first + n);
            wrong[n] = is_special ? all_rows : rows.special | special_addends<is_f16>(c[n]);
        }
        if (!add_exact_columns<is_f16, exact_columns>(rows, of_b, values, power, block, first)) {
            for (int n = 0; n < exact_columns; ++n) {
                if (!add_exact_columns<is_f16, 1>(rows, of_b + n, values, power, block, first + n))
                    wrong[n] = all_rows;
            }
        }
        for (int n = 0; n < exact_columns; ++n) {
            if (wrong[n] != 0) [[unlikely]]
                refer(product, block, first + n, wrong[n], c[n]);
        }
    }
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
