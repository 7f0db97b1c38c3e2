// Sums of aligned terms (Sum::aligned). A product of two significands fits a float, and a term that is cut fits an integer
// of 32 bits: multiplied by the power of two that makes the last place kept a unit, the float is converted toward zero.
#pragma once

#include "frontend/isa/host_lanes.hpp"
#include "sim/matrix/lanes/decode.hpp"

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

/// Words of a row that are added at once.
WARPSIM_INLINE int group_words(FloatProduct const& product, int in_word, int words) {
    int const group = product.accumulator.group * (product.a_is_sparse ? 2 : 1) / in_word;
    return group < words ? group : words;
}

/// Whether sums of 32 bits suffice: products are below 4 (times those of two scales of e4m3), their number is a power of two.
inline bool fits(FloatProduct const& product, int in_word, int words) {
    Accumulator const& how = product.accumulator;
    int const scale_bits = product.scale_block != 0 && product.scales_are_e4m3 ? 2 : 0;
    int const bits = std::countr_zero(static_cast<unsigned>(how.group)) + scale_bits;
    int const group = group_words(product, in_word, words);
    bool const is_even = (group & (group - 1)) == 0 && (words & (group - 1)) == 0;
    return !how.rounds_to_nearest && how.group % in_word == 0 && is_even && how.extra_bits + bits <= 6 &&
           how.extra_bits >= -13;
}

/// Exponents that the powers of two above can be had for; others are left to the reference.
inline constexpr int highest = 100, lowest = -94;

/// An exponent above the products of a lane, with the bias of f32: it stands two places below that of a float.
constexpr std::int32_t biased(int exponent) { return (exponent + bias_of_b) * (exponent_unit << 16); }

/// What is the same for all elements, in all lanes.
struct AlignedSums {
    Ints low, least, highest, surely_none;  // exponents, as `biased` gives them
    Ints zero;                              // the exponent of an addend of zero
    Words product_scale, addend_scale;  // the sum of a sum's exponent and that of what its terms are multiplied by
    Words unit;                         // a sum of exponent e has the unit 2^(e - unit)
    Words kept;                         // bits of a result
};

inline void set_sums(AlignedSums& s, int extra_bits, int floor, int shift) {
    auto const unit = static_cast<std::uint32_t>(23 + extra_bits);
    int const low = lowest + shift;
    s.low = every(biased(low));
    s.least = every(biased(floor > low ? floor : low));
    s.highest = every(biased(highest));
    s.surely_none = every(biased(surely_none));
    s.zero = every(biased(none));
    // The floats are 2^shift too small.
    s.product_scale = every((254 + unit + static_cast<std::uint32_t>(shift)) << 23);
    s.addend_scale = every((254 + unit) << 23);
    s.unit = every(unit << 23);
    s.kept = every(extra_bits < 0 ? 0xffffffffu << -extra_bits : 0xffffffffu);
}

/// Those of the product before: a kernel has one kind, or few.
struct KeptSums {
    int extra_bits, floor, shift;
    bool is_set;
    AlignedSums sums;
};
inline AlignedSums const& aligned_sums_of(KeptSums& kept, Accumulator const& how, bool is_f16, int shift) {
    int const floor = is_f16 ? how.floor_f16 : how.floor_f32;
    if (!kept.is_set || kept.extra_bits != how.extra_bits || kept.floor != floor || kept.shift != shift) {
        set_sums(kept.sums, how.extra_bits, floor, shift);
        kept.extra_bits = how.extra_bits;
        kept.floor = floor;
        kept.shift = shift;
        kept.is_set = true;
    }
    return kept.sums;
}

// AVX-512 rounds a conversion as the instruction says, the others as the host's register does.
#if defined(__AVX512F__) && defined(__AVX512BW__)
struct RoundingTowardZero {};
WARPSIM_INLINE Floats to_floats_toward_zero(Ints x) {
    return as<Floats>(_mm512_cvt_roundepi32_ps(as<__m512i>(x), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
}
#else
struct RoundingTowardZero {
    isa::WARPSIM_HOST::HostRounding const rounding{isa::Rounding::rz};
};
WARPSIM_INLINE Floats to_floats_toward_zero(Ints x) { return to_floats(x); }
#endif

/// Modulo 2^32: in lanes where only the reference knows the terms may be any.
WARPSIM_INLINE Ints wrapping_sum(Ints a, Ints b) { return as<Ints>(as<Words>(a) + as<Words>(b)); }
WARPSIM_INLINE Ints wrapping_difference(Ints a, Ints b) { return as<Ints>(as<Words>(a) - as<Words>(b)); }

/// Which words are added at once: `count` from `first` on of each of so many fours.
template <int first_word, int word_count, int four_count> struct Group {
    static constexpr int first = first_word, count = word_count, fours = four_count;
};

// What keeps the compiler from using more registers than there are: adding in another order, and holding constants that
// can be read where they are used.
WARPSIM_INLINE void keep_order(Ints& sum) { asm volatile("" : "+x"(sum)); }
WARPSIM_INLINE AlignedSums const* as_if_new(AlignedSums const* s) {
    asm volatile("" : "+r"(s));
    return s;
}

/// The largest exponents of the products of a group: of the even and the odd columns.
template <Elements elements, class G>
WARPSIM_INLINE void largest_exponents(Ints (&largest)[2], std::uint32_t const (*a)[row_words],
                                      std::uint32_t const (*b)[lanes], int at) {
    constexpr int planes = exponent_planes_of(elements);
    Pairs pairs[2];
    for (Pairs& p : pairs) p = Pairs{} + std::int16_t{-32767};
    unrolled<0, G::fours * planes>([&]<int i>() __attribute__((always_inline)) {
        Pairs const of_a = load<Pairs>(a[i] + at);
        unrolled<G::first, G::count>([&]<int word>() __attribute__((always_inline)) {
            Pairs const of_row = spread<word>(of_a);
            auto const* const of_b = b + place_in_tile(i % planes, i / planes * 4 + word);
            for (int odd = 0; odd < 2; ++odd)
                pairs[odd] = max(pairs[odd], saturated_sum(of_row, load<Pairs>(of_b[odd])));
        });
    });
    for (int odd = 0; odd < 2; ++odd)
        largest[odd] = max(as<Ints>(as<Words>(pairs[odd]) << 16), as<Ints>(pairs[odd]));
}

/// Adds the products of a group, cut: each vector of products times its power of two.
template <Elements elements, class G>
WARPSIM_INLINE void add_products(Ints (&totals)[2], float const (*a)[row_words], float const (*b)[lanes], int at,
                                 Floats const (&scales)[2]) {
    constexpr int planes = planes_of(elements);
    unrolled<0, G::fours * planes>([&]<int i>() __attribute__((always_inline)) {
        Floats const of_a = load<Floats>(a[i] + at);
        unrolled<G::first, G::count>([&]<int word>() __attribute__((always_inline)) {
            Floats const of_row = spread<word>(of_a);
            auto const* const of_b = b + place_in_tile(i % planes, i / planes * 4 + word);
            for (int odd = 0; odd < 2; ++odd) {
                Ints const cut = to_integers(of_row * load<Floats>(of_b[odd]) * scales[odd]);
                totals[odd] = wrapping_sum(totals[odd], cut);
                keep_order(totals[odd]);
            }
        });
    });
}

/// The result of a group, rounded.
template <bool is_f16> WARPSIM_INLINE Floats rounded_sum(AlignedSums const& s, Ints all, Words exponent) {
    Floats result = to_floats_toward_zero(all);
    Floats const power = as<Floats>(exponent - s.unit);
    if constexpr (!is_f16) return as<Floats>(as<Words>(result) & s.kept) * power;
    // To odd, so that rounding to f16 sees that something is lost.
    Ints const is_inexact = to_integers(result) != all;
    result = as<Floats>(as<Ints>(result) | (is_inexact & 1));
    return low_halves_as_floats(halves_of_floats(result * power));
}

/// A group of products and the sum before it in eight columns and the rows of one vector. The sign of `trouble` is set where
/// the results are not right.
template <Elements elements, bool is_f16, class G>
WARPSIM_INLINE void add_group(AlignedSums const& constants, Rows const& a, Tile const& b, int four, int at,
                              Floats (&sums)[2], Ints& trouble) {
    constexpr int planes = planes_of(elements), exponent_planes = exponent_planes_of(elements);
    AlignedSums const& s = *as_if_new(&constants);
    Ints largest[2], totals[2]{};
    Words exponents[2];
    Floats scales[2];
    largest_exponents<elements, G>(largest, &a.exponents[four * exponent_planes],
                                   &b.exponents[place_in_tile(0, 4 * four)], at);
    for (int i = 0; i < 2; ++i) {
        Words const magnitude = as<Words>(sums[i]) & 0x7fffffffu;
        Ints const of_addend = magnitude == Words{} ? s.zero : as<Ints>(magnitude >> 2);
        Ints const e = max(largest[i], of_addend);
        trouble |= wrapping_difference(s.highest, e);
        trouble |= wrapping_difference(e, s.low) & wrapping_difference(s.surely_none, e);
        exponents[i] = as<Words>(max(e, s.least)) << 2 & 0x7f800000u;
        scales[i] = as<Floats>(s.product_scale - exponents[i]);
    }
    add_products<elements, G>(totals, &a.values[four * planes], &b.values[place_in_tile(0, 4 * four)], at, scales);
    for (int i = 0; i < 2; ++i) {
        Ints const addend = to_integers(sums[i] * as<Floats>(s.addend_scale - exponents[i]));
        Ints const all = wrapping_sum(totals[i], addend);
        trouble |= (totals[i] ^ all) & (addend ^ all);
        sums[i] = rounded_sum<is_f16>(s, all, exponents[i]);
    }
}

/// Computes elements again: those of the lanes whose bit is set, in register `number` of a tile of c, from lane `first` on.
[[gnu::cold, gnu::noinline]] inline void refer(FloatProduct const& product, TileRegisters const& on,
                                               std::size_t tile, std::size_t number, std::size_t first,
                                               std::uint32_t bits, std::uint32_t* results) {
    for (; bits != 0; bits &= bits - 1) {
        auto const i = static_cast<std::size_t>(__builtin_ctz(bits));
        std::size_t const lane = first + i, row = number / 2 * 8 + lane / 4;
        std::size_t const in_tile = lane % 4 * 2 + number % 2, column = 8 * tile + in_tile;
        std::uint32_t a[most_words], b[most_words];
        for (std::size_t w = 0; w < static_cast<std::size_t>(on.words); ++w) {
            a[w] = on.a[w / 4 * 2 + row / 8][row % 8 * 4 + w % 4];
            b[w] = on.tiles[tile].b[w / 4][in_tile * 4 + w % 4];
        }
        bool const has_scales = on.scales != nullptr;
        Vector const of_a{a, 1, has_scales ? &on.scales->a_scales[0][row] : nullptr, block_rows};
        Vector const of_b{b, 1, has_scales ? on.scales->b_scales[column] : nullptr, 1};
        results[i] = reference(product, of_a, of_b, on.words, on.tiles[tile].c[number][lane]);
    }
}

/// d = a * b + c of a tile in the rows of one vector, which begin in lane `lane` of the registers of a half.
template <Elements elements, bool is_f16, int in_four, int fours, bool is_one_group>
WARPSIM_INLINE void sum_rows(FloatProduct const& product, AlignedSums const& s, Rows const& a, Tile const& b,
                             TileRegisters const& on, std::size_t tile, std::size_t half, std::size_t lane) {
    TileRegisters::Tile const& registers = on.tiles[tile];
    int const at = static_cast<int>(32 * half + lane);
    Floats sums[2];
    Ints trouble{};
    for (std::size_t i = 0; i < 2; ++i) {
        Words const c = load<Words>(registers.c[2 * half + i] + lane);
        sums[i] = is_f16 ? low_halves_as_floats(c) : as<Floats>(c);
    }
    for (int four = 0; four == 0 || (!is_one_group && four < on.words / 4); four += fours) {
        unrolled<0, 4 / in_four>([&]<int part>() __attribute__((always_inline)) {
            add_group<elements, is_f16, Group<part * in_four, in_four, fours>>(s, a, b, four, at, sums, trouble);
        });
    }
    Words results[2];
    for (int i = 0; i < 2; ++i) results[i] = is_f16 ? halves_of_floats(sums[i]) : as<Words>(sums[i]);
    std::uint32_t const wrong = signs(trouble);
    if (wrong != 0) [[unlikely]] {
        for (std::size_t i = 0; i < 2; ++i) {
            std::uint32_t again[lanes];
            store(again, results[i]);
            refer(product, on, tile, 2 * half + i, lane, wrong, again);
            results[i] = load<Words>(again);
        }
    }
    for (std::size_t i = 0; i < 2; ++i) store(registers.d[2 * half + i] + lane, results[i]);
}

/// Groups of `in_four` words, or of several fours.
template <Elements elements, bool is_f16, int in_four, int fours, bool is_one_group>
[[gnu::noinline]] inline void sum_tile(FloatProduct const& product, AlignedSums const& s, Rows const& a,
                                       Tile const& b, TileRegisters const& on, std::size_t tile) {
    for (std::size_t half = 0; half < 2; ++half) {
        for (std::size_t lane = 0; lane < 32; lane += lanes)
            sum_rows<elements, is_f16, in_four, fours, is_one_group>(product, s, a, b, on, tile, half, lane);
    }
}

template <Elements elements, bool is_f16>
inline void sum_tile(FloatProduct const& product, AlignedSums const& s, int group_words, Rows const& a,
                     Tile const& b, TileRegisters const& on, std::size_t tile) {
    auto const sum = [&]<int in_four, int fours, bool is_one_group>() {
        sum_tile<elements, is_f16, in_four, fours, is_one_group>(product, s, a, b, on, tile);
    };
    bool const is_one_group = group_words == on.words;
    switch (group_words) {
        case 1: return sum.template operator()<1, 1, false>();
        case 2: return sum.template operator()<2, 1, false>();
        case 4:
            return is_one_group ? sum.template operator()<4, 1, true>() : sum.template operator()<4, 1, false>();
        case 8:
            return is_one_group ? sum.template operator()<4, 2, true>() : sum.template operator()<4, 2, false>();
        default: return sum.template operator()<4, 4, true>();
    }
}

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
