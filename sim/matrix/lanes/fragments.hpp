// The eight rows of four words that a register holds in the 32 lanes of a warp, and words across 16 rows.
#pragma once

#include "sim/matrix/lanes/vectors.hpp"

#include <cstddef>

namespace warpsim::sim::matrix::WARPSIM_HOST {
namespace {

#if defined(__AVX512F__) && defined(__AVX512BW__)

inline void words_of_fragment(std::uint32_t* words, std::uint32_t const* low_half, std::uint32_t const* high_half,
                              std::size_t stride) {
    // Words 0 and 1, 2 and 3 of eight rows, out of two registers of four rows each.
    __m512i const first = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    __m512i const second = _mm512_add_epi32(first, _mm512_set1_epi32(2));
    auto const two = [](std::uint32_t const* rows, __m512i index) {
        return _mm512_permutex2var_epi32(_mm512_loadu_si512(rows), index, _mm512_loadu_si512(rows + 16));
    };
    __m512i const low[2] = {two(low_half, first), two(low_half, second)};
    __m512i const high[2] = {two(high_half, first), two(high_half, second)};
    for (std::size_t i = 0; i < 2; ++i) {
        _mm512_storeu_si512(words + 2 * i * stride, _mm512_shuffle_i64x2(low[i], high[i], 0x44));
        _mm512_storeu_si512(words + (2 * i + 1) * stride, _mm512_shuffle_i64x2(low[i], high[i], 0xee));
    }
}
inline void fragment_of_words(std::uint32_t* low_half, std::uint32_t* high_half, std::uint32_t const* words,
                              std::size_t stride) {
    __m512i const index = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    __m512i const next_rows = _mm512_add_epi32(index, _mm512_set1_epi32(4));
    __m512i row[4];
    for (std::size_t i = 0; i < 4; ++i) row[i] = _mm512_loadu_si512(words + i * stride);
    auto const put = [&](std::uint32_t* half, int which) {
        __m512i const pair[2] = {
            which == 0 ? _mm512_shuffle_i64x2(row[0], row[1], 0x44) : _mm512_shuffle_i64x2(row[0], row[1], 0xee),
            which == 0 ? _mm512_shuffle_i64x2(row[2], row[3], 0x44) : _mm512_shuffle_i64x2(row[2], row[3], 0xee)};
        _mm512_storeu_si512(half, _mm512_permutex2var_epi32(pair[0], index, pair[1]));
        _mm512_storeu_si512(half + 16, _mm512_permutex2var_epi32(pair[0], next_rows, pair[1]));
    };
    put(low_half, 0);
    put(high_half, 1);
}

#else

/// Four rows of four words; twice, in the halves of AVX registers.
WARPSIM_INLINE void transpose_four(std::uint32_t* to, std::size_t to_stride, std::uint32_t const* from,
                                   std::size_t from_stride) {
    __m128 r[4];
    for (std::size_t i = 0; i < 4; ++i)
        r[i] = _mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<__m128i const*>(from + i * from_stride)));
    _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
    for (std::size_t i = 0; i < 4; ++i)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * to_stride), _mm_castps_si128(r[i]));
}
inline void words_of_fragment(std::uint32_t* words, std::uint32_t const* low_half, std::uint32_t const* high_half,
                              std::size_t stride) {
    transpose_four(words, stride, low_half, 4);
    transpose_four(words + 4, stride, low_half + 16, 4);
    transpose_four(words + 8, stride, high_half, 4);
    transpose_four(words + 12, stride, high_half + 16, 4);
}
inline void fragment_of_words(std::uint32_t* low_half, std::uint32_t* high_half, std::uint32_t const* words,
                              std::size_t stride) {
    transpose_four(low_half, 4, words, stride);
    transpose_four(low_half + 16, 4, words + 4, stride);
    transpose_four(high_half, 4, words + 8, stride);
    transpose_four(high_half + 16, 4, words + 12, stride);
}

#endif

}  // namespace
}  // namespace warpsim::sim::matrix::WARPSIM_HOST
