// Words of a warp's lanes, rearranged in registers of the host. For code that is compiled for each host instruction set.
#pragma once

#include "frontend/isa/operands.hpp"

#include <cstdint>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifndef WARPSIM_HOST
#error "compile lane code with -DWARPSIM_HOST=baseline, avx2 or avx512"
#endif

namespace warpsim::sim::WARPSIM_HOST {

#if defined(__AVX2__) && !defined(__AVX512F__)

template <class Word> [[gnu::always_inline]] inline __m256i eight(Word const* words) {
    return _mm256_loadu_si256(reinterpret_cast<__m256i const*>(words));
}
[[gnu::always_inline]] inline __m256 permuted(__m256i words, __m256i which) {
    return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(words, which));
}

#endif

/// result[i] = values[from[i]] for all 32 lanes; `from` and `result` are aligned to 64 bytes. A gather from memory
/// costs several times as much as the host's permutations.
[[gnu::always_inline]] inline void rearrange(std::uint32_t* result, std::uint32_t const* values,
                                             std::int32_t const* from) {
#if defined(__AVX512F__)
    __m512i const low = _mm512_loadu_si512(values), high = _mm512_loadu_si512(values + 16);
    for (int i = 0; i < isa::warp_size; i += 16) {
        __m512i const which = _mm512_load_si512(from + i);
        _mm512_store_si512(result + i, _mm512_permutex2var_epi32(low, which, high));
    }
#elif defined(__AVX2__)
    __m256i const a = eight(values), b = eight(values + 8), c = eight(values + 16), d = eight(values + 24);
    for (int i = 0; i < isa::warp_size; i += 8) {
        __m256i const which = eight(from + i);  // bits 0 to 2: in a vector; 3 and 4: of which vector
        __m256 const is_odd = _mm256_castsi256_ps(_mm256_slli_epi32(which, 28));
        __m256 const is_upper = _mm256_castsi256_ps(_mm256_slli_epi32(which, 27));
        __m256 const lower = _mm256_blendv_ps(permuted(a, which), permuted(b, which), is_odd);
        __m256 const upper = _mm256_blendv_ps(permuted(c, which), permuted(d, which), is_odd);
        __m256i const chosen = _mm256_castps_si256(_mm256_blendv_ps(lower, upper, is_upper));
        _mm256_store_si256(reinterpret_cast<__m256i*>(result + i), chosen);
    }
#else
    for (int i = 0; i < isa::warp_size; ++i) result[i] = values[from[i]];
#endif
}

}  // namespace warpsim::sim::WARPSIM_HOST
