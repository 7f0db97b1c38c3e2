// Exact sums (Sum::exact) in double precision: products of such short significands are exact there, and so are most of
// their sums. The host says when one was not.
#pragma once

#include "sim/matrix/lanes/aligned_sums.hpp"

#include <cstddef>

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

inline constexpr int double_lanes = lanes / 2;
/// The numbers are as many powers of two too small as the floats that they come from.
struct alignas(64) DoubleRows {
    double values[most_planes * most_words / 4][row_words];
    std::uint32_t special;  // rows that hold infinities or NaNs
};
struct alignas(64) DoubleTile {
    double values[2 * most_planes * most_words][4];
    std::uint32_t special;  // columns, the even ones first
};

inline double power_of_two_f64(int exponent) {
    std::int64_t const bits = std::int64_t{exponent + 1023} << 52;
    return std::bit_cast<double>(bits);
}

template <Elements elements> inline std::uint32_t special_rows(Rows const& a, int words) {
    Pairs const limit = exponent_pairs(300);
    std::uint32_t rows = 0;
    for (int at = 0; at < row_words; at += lanes) {
        Pairs largest = exponent_pairs(none);
        for (int i = 0; i < words / 4 * exponent_planes_of(elements); ++i)
            largest = max(largest, load<Pairs>(&a.exponents[i][at]));
        std::uint32_t const found = signs(as<Ints>(as<Words>(largest > limit) != Words{}));
        for (int i = 0; i < lanes; ++i) rows |= (found >> i & 1) << ((at + i) / 4);
    }
    return rows;
}
/// Columns in the order of a row of d: the even ones, then the odd ones.
template <Elements elements> inline std::uint32_t special_columns(Tile const& b, int words) {
    Pairs const limit = exponent_pairs(300);
    std::uint32_t columns = 0;
    for (int odd = 0; odd < 2; ++odd) {
        Pairs largest = exponent_pairs(none);
        for (int p = 0; p < exponent_planes_of(elements); ++p)
            for (int w = 0; w < words; ++w)
                largest = max(largest, load<Pairs>(b.exponents[place_in_tile(p, w) + odd]));
        columns |= (signs(as<Ints>(as<Words>(largest > limit) != Words{})) & 15u) << (4 * odd);
    }
    return columns;
}

template <Elements elements> inline void widen_rows(DoubleRows& to, Rows const& from, int words) {
    for (int i = 0; i < planes_of(elements) * words / 4; ++i) {
        for (int at = 0; at < row_words; at += double_lanes)
            store(&to.values[i][at], __builtin_convertvector(load<HalfFloats>(&from.values[i][at]), Doubles));
    }
    to.special = special_rows<elements>(from, words);
}
template <Elements elements> inline void widen_tile(DoubleTile& to, Tile const& from, int words) {
    for (int p = 0; p < planes_of(elements); ++p) {
        int const first = place_in_tile(p, 0);
        for (int i = first; i < first + 2 * words; ++i)
            for (int q = 0; q < 4; ++q) to.values[i][q] = static_cast<double>(from.values[i][q]);
    }
    to.special = special_columns<elements>(from, words);
}

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

/// Vectors of rows whose sums are kept in the host's registers together.
inline constexpr int rows_together = 4;

/// Sums of products of a tile, from the doubles at `first` on: of the even and the odd columns.
struct alignas(64) DoubleSums {
    double values[2][row_words];
};
template <int planes>
WARPSIM_INLINE void sum_products(DoubleSums& to, DoubleRows const& a, DoubleTile const& b, int words, int first) {
    Doubles sums[rows_together][2];
    for (auto& row : sums) {
        for (Doubles& sum : row) {
            sum = Doubles{};
            asm volatile("" : "+x"(sum));
        }
    }
    for (int four = 0; four < words / 4; ++four) {
        unrolled<0, 4 * planes>([&]<int i>() __attribute__((always_inline)) {
            constexpr int plane = i / 4, word = i % 4;
            auto const* const of_b = &b.values[place_in_tile(plane, 4 * four + word)];
            for (int r = 0; r < rows_together; ++r) {
                int const at = first + r * double_lanes;
                Doubles const of_row = spread<word>(&a.values[four * planes + plane][at / 4 * 4]);
                for (int odd = 0; odd < 2; ++odd) {
                    Doubles const columns = load_four_doubles(of_b[odd] + (double_lanes < 4 ? at % 4 : 0));
                    sums[r][odd] = multiply_add(of_row, columns, sums[r][odd]);
                }
            }
        });
    }
    for (int r = 0; r < rows_together; ++r) {
        for (int odd = 0; odd < 2; ++odd) {
            asm volatile("" : "+x"(sums[r][odd]));
            store(&to.values[odd][first + r * double_lanes], sums[r][odd]);
        }
    }
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
template <bool is_f16>
WARPSIM_INLINE void add_and_store(Doubles sum, std::uint32_t const* from, std::uint32_t* d) {
    HalfFloats c;
    if constexpr (is_f16) {
        alignas(64) std::uint32_t words[lanes]{};
        __builtin_memcpy(words, from, sizeof c);
        Floats const all = low_halves_as_floats(load<Words>(words));
        __builtin_memcpy(&c, &all, sizeof c);
    } else {
        c = load<HalfFloats>(from);
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

/// Lanes of a register whose addend is infinity or NaN.
template <bool is_f16> inline std::uint32_t special_addends(std::uint32_t const* c) {
    constexpr std::uint32_t exponent = is_f16 ? 0x7c00 : 0x7f800000;
    std::uint32_t found = 0;
    for (int at = 0; at < 32; at += lanes)
        found |= signs(as<Ints>((load<Words>(c + at) & exponent) == exponent)) << at;
    return found;
}

/// What of a tile the sums do not give: for each of its registers, the lanes.
struct WrongLanes {
    std::uint32_t lanes[4] = {};

    void add_row(int row) {
        for (int odd = 0; odd < 2; ++odd) lanes[row / 8 * 2 + odd] |= 0xfu << (row % 8 * 4);
    }
    void add_columns(std::uint32_t columns) {
        for (int i = 0; i < 4; ++i) lanes[i] |= (columns >> (4 * (i % 2)) & 0xfu) * 0x11111111u;
    }
};

/// The sums of all rows. Where the host says that one was not exact, they are computed again a few rows at a time, and those
/// with such a sum are left to the reference.
template <int planes>
inline void sum_all_rows(DoubleSums& sums, DoubleRows const& a, DoubleTile const& b, int words,
                         WrongLanes& wrong) {
    constexpr int step = rows_together * double_lanes;
    Exactness const all;
    for (int first = 0; first < row_words; first += step) sum_products<planes>(sums, a, b, words, first);
    if (all.is_exact()) [[likely]]
        return;
    for (int first = 0; first < row_words; first += step) {
        Exactness const some;
        sum_products<planes>(sums, a, b, words, first);
        if (some.is_exact()) continue;
        for (int row = first / 4; row < (first + step) / 4; ++row) wrong.add_row(row);
    }
}

template <Elements elements, bool is_f16>
[[gnu::noinline]] inline void sum_exactly(FloatProduct const& product, DoubleRows const& a, DoubleTile const& b,
                                          TileRegisters const& on, std::size_t tile, int shift) {
    WrongLanes wrong;
    DoubleSums sums;
    sum_all_rows<planes_of(elements)>(sums, a, b, on.words, wrong);
    for (int row = 0; row < block_rows && a.special != 0; ++row)
        if ((a.special >> row & 1) != 0) wrong.add_row(row);
    wrong.add_columns(b.special);
    double const power = power_of_two_f64(shift);
    for (std::size_t i = 0; i < 4; ++i) {
        std::uint32_t const* const c = on.tiles[tile].c[i];
        std::uint32_t* const d = on.tiles[tile].d[i];
        std::uint32_t const bits = wrong.lanes[i] | special_addends<is_f16>(c);
        std::uint32_t again[32];
        if (bits != 0) [[unlikely]]
            refer(product, on, tile, i, 0, bits, again);
        for (int at = 0; at < 32; at += double_lanes)
            add_and_store<is_f16>(load<Doubles>(&sums.values[i % 2][i / 2 * 32 + static_cast<std::size_t>(at)]) *
                                      power,
                                  c + at, d + at);
        for (std::uint32_t left = bits; left != 0; left &= left - 1)
            d[__builtin_ctz(left)] = again[__builtin_ctz(left)];
    }
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
