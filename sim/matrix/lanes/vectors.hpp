// The vectors of the host that products are computed with: four elements of each row in one register. Compiled for each
// host instruction set (WARPSIM_HOST); all of it is inlined.
#pragma once

#include "sim/host_vectors.hpp"

#include <bit>
#include <cstdint>

namespace warpsim::sim::matrix::WARPSIM_HOST {

using namespace sim::WARPSIM_HOST;

namespace {

using Pairs = std::int16_t __attribute__((vector_size(vector_bytes)));  // two in each lane of 32 bits
using WordPairs = std::uint16_t __attribute__((vector_size(vector_bytes)));
/// Half as many lanes, for double precision.
using Doubles = double __attribute__((vector_size(vector_bytes)));
using Longs = std::int64_t __attribute__((vector_size(vector_bytes)));
using HalfFloats = float __attribute__((vector_size(vector_bytes / 2)));

WARPSIM_INLINE Ints every(std::int32_t x) { return Ints{} + x; }
WARPSIM_INLINE Floats every(float x) { return Floats{} + x; }
WARPSIM_INLINE Words every(std::uint32_t x) { return Words{} + x; }

#if defined(__AVX512F__) && defined(__AVX512BW__)
WARPSIM_INLINE Pairs max(Pairs a, Pairs b) { return as<Pairs>(_mm512_max_epi16(as<__m512i>(a), as<__m512i>(b))); }
WARPSIM_INLINE Ints max(Ints a, Ints b) { return as<Ints>(_mm512_max_epi32(as<__m512i>(a), as<__m512i>(b))); }
WARPSIM_INLINE Ints multiply_add_pairs(Pairs a, Pairs b) {
    return as<Ints>(_mm512_madd_epi16(as<__m512i>(a), as<__m512i>(b)));
}
WARPSIM_INLINE std::uint32_t signs(Ints x) { return _mm512_movepi32_mask(as<__m512i>(x)); }
WARPSIM_INLINE Floats low_halves_as_floats(Words x) {
    return as<Floats>(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(as<__m512i>(x))));
}
WARPSIM_INLINE Words halves_of_floats(Floats x) {
    return as<Words>(_mm512_cvtepu16_epi32(_mm512_cvtps_ph(as<__m512>(x), _MM_FROUND_TO_NEAREST_INT)));
}
WARPSIM_INLINE Doubles multiply_add(Doubles a, Doubles b, Doubles c) {
    return as<Doubles>(_mm512_fmadd_pd(as<__m512d>(a), as<__m512d>(b), as<__m512d>(c)));
}
/// Element i of each four, four times.
template <int i> WARPSIM_INLINE Floats spread(Floats v) {
    return as<Floats>(_mm512_permute_ps(as<__m512>(v), i * 0x55));
}
template <int i> WARPSIM_INLINE Pairs spread(Pairs v) {
    return as<Pairs>(_mm512_shuffle_epi32(as<__m512i>(v), static_cast<_MM_PERM_ENUM>(i * 0x55)));
}
/// Element i of each four doubles, which begin at `from`.
template <int i> WARPSIM_INLINE Doubles spread(double const* from) {
    return as<Doubles>(_mm512_permutex_pd(_mm512_loadu_pd(from), i * 0x55));
}
/// Four doubles, again in each row of a vector.
WARPSIM_INLINE Doubles load_four_doubles(double const* from) {
    return as<Doubles>(_mm512_broadcast_f64x4(_mm256_loadu_pd(from)));
}
WARPSIM_INLINE Words join(__m256i low, __m256i high) {
    return as<Words>(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
}
WARPSIM_INLINE Pairs saturated_sum(Pairs a, Pairs b) {
    return as<Pairs>(_mm512_adds_epi16(as<__m512i>(a), as<__m512i>(b)));
}
#elif defined(__AVX2__)
WARPSIM_INLINE Pairs max(Pairs a, Pairs b) { return as<Pairs>(_mm256_max_epi16(as<__m256i>(a), as<__m256i>(b))); }
WARPSIM_INLINE Ints max(Ints a, Ints b) { return as<Ints>(_mm256_max_epi32(as<__m256i>(a), as<__m256i>(b))); }
WARPSIM_INLINE Ints multiply_add_pairs(Pairs a, Pairs b) {
    return as<Ints>(_mm256_madd_epi16(as<__m256i>(a), as<__m256i>(b)));
}
WARPSIM_INLINE std::uint32_t signs(Ints x) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(as<__m256>(x)));
}
WARPSIM_INLINE Floats low_halves_as_floats(Words x) {
    __m256i const low = as<__m256i>(x & 0xffffu);
    return as<Floats>(
        _mm256_cvtph_ps(_mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1))));
}
WARPSIM_INLINE Words halves_of_floats(Floats x) {
    return as<Words>(_mm256_cvtepu16_epi32(_mm256_cvtps_ph(as<__m256>(x), _MM_FROUND_TO_NEAREST_INT)));
}
WARPSIM_INLINE Doubles multiply_add(Doubles a, Doubles b, Doubles c) {
    return as<Doubles>(_mm256_fmadd_pd(as<__m256d>(a), as<__m256d>(b), as<__m256d>(c)));
}
template <int i> WARPSIM_INLINE Floats spread(Floats v) {
    return as<Floats>(_mm256_permute_ps(as<__m256>(v), i * 0x55));
}
template <int i> WARPSIM_INLINE Pairs spread(Pairs v) {
    return as<Pairs>(_mm256_shuffle_epi32(as<__m256i>(v), i * 0x55));
}
template <int i> WARPSIM_INLINE Doubles spread(double const* from) { return as<Doubles>(_mm256_set1_pd(from[i])); }
WARPSIM_INLINE Doubles load_four_doubles(double const* from) { return load<Doubles>(from); }
WARPSIM_INLINE Pairs saturated_sum(Pairs a, Pairs b) {
    return as<Pairs>(_mm256_adds_epi16(as<__m256i>(a), as<__m256i>(b)));
}
#else
WARPSIM_INLINE Pairs max(Pairs a, Pairs b) { return as<Pairs>(_mm_max_epi16(as<__m128i>(a), as<__m128i>(b))); }
WARPSIM_INLINE Ints max(Ints a, Ints b) { return a > b ? a : b; }
WARPSIM_INLINE Ints multiply_add_pairs(Pairs a, Pairs b) {
    return as<Ints>(_mm_madd_epi16(as<__m128i>(a), as<__m128i>(b)));
}
WARPSIM_INLINE std::uint32_t signs(Ints x) { return static_cast<std::uint32_t>(_mm_movemask_ps(as<__m128>(x))); }
WARPSIM_INLINE Floats low_halves_as_floats(Words x) {
    Words const magnitude = x & 0x7fffu;
    // Subnormal: the fraction as an integer, in units of 2^-24.
    Floats const small = to_floats(as<Ints>(magnitude)) * 0x1p-24f;
    Words const other = (magnitude << 13) + (magnitude < 0x7c00u ? every(112u << 23) : every(224u << 23));
    Words const bits = magnitude < 0x400u ? as<Words>(small) : other;
    return as<Floats>(bits | (x & 0x8000u) << 16);
}
/// Of numbers that are finite, as floats with more than 22 bits to round are: to nearest even.
WARPSIM_INLINE Words halves_of_floats(Floats x) {
    Words const bits = as<Words>(x);
    Words const magnitude = bits & 0x7fffffffu;
    Words const normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - (112u << 23)) >> 13;
    // In units of 2^-24, by integers: whatever the host's rounding mode is.
    Words const shift = 126u - (magnitude >> 23);
    Words const significand = (magnitude & 0x7fffffu) | 0x800000u;
    Words const by = shift > 31u ? Words{} + 31u : shift;
    Words const kept = significand >> by;
    Words const lost = significand - (kept << by);
    Words const half = (Words{} + 1u) << (by - 1u);
    Words const up = as<Words>((lost > half) | ((lost == half) & ((kept & 1u) != 0u))) & 1u;
    Words const small = kept + up;
    Words const code = magnitude < (113u << 23) ? small : normal;
    Words const most = Words{} + 0x7c00u;
    return (code > most ? most : code) | (bits >> 16 & 0x8000u);
}
WARPSIM_INLINE Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return a * b + c; }
template <int i> WARPSIM_INLINE Floats spread(Floats v) {
    return as<Floats>(_mm_shuffle_ps(as<__m128>(v), as<__m128>(v), i * 0x55));
}
template <int i> WARPSIM_INLINE Pairs spread(Pairs v) {
    return as<Pairs>(_mm_shuffle_epi32(as<__m128i>(v), i * 0x55));
}
template <int i> WARPSIM_INLINE Doubles spread(double const* from) { return as<Doubles>(_mm_set1_pd(from[i])); }
WARPSIM_INLINE Doubles load_four_doubles(double const* from) { return load<Doubles>(from); }
WARPSIM_INLINE Pairs saturated_sum(Pairs a, Pairs b) {
    return as<Pairs>(_mm_adds_epi16(as<__m128i>(a), as<__m128i>(b)));
}
#endif

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
