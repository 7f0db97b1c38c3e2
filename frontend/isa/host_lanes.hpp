// What compilers do not write well by themselves, by hand for each host instruction set: storing lanes under a
// mask, comparing into a mask, and the host's rounding mode. Columns may be aligned in any way (64 bytes is
// fastest); the results that are passed to functions here are aligned to 64 bytes.
#pragma once

#include "frontend/isa/operands.hpp"
#include "frontend/isa/types.hpp"

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#ifndef WARPSIM_HOST
#error "compile lane code with -DWARPSIM_HOST=baseline, avx2 or avx512"
#endif

namespace warpsim::isa::WARPSIM_HOST {

template <std::size_t size> struct SignedOfSize;
template <> struct SignedOfSize<1> { using type = std::int16_t; };  // lanes of 8-bit values are 16 bits wide
template <> struct SignedOfSize<2> { using type = std::int16_t; };
template <> struct SignedOfSize<4> { using type = std::int32_t; };
template <> struct SignedOfSize<8> { using type = std::int64_t; };
template <std::size_t size> using signed_of_size = typename SignedOfSize<size>::type;

#if defined(WARPSIM_BITCODE)

// Bitcode is compiled for the host when it is known which one that is. Masks are vectors of bits there.

using LaneBits = bool __attribute__((ext_vector_type(warp_size)));
template <class T> using Lanes = T __attribute__((ext_vector_type(warp_size)));

template <class T> [[gnu::always_inline]] inline void store_masked(T* to, T const* from, LaneMask mask) {
    for (int i = 0; i < warp_size; ++i) {
        T const old = to[i], fresh = from[i];
        to[i] = (mask >> i & 1) != 0 ? fresh : old;
    }
}

template <class T> [[gnu::always_inline]] inline LaneMask sign_mask(T const* lanes) {
    Lanes<T> values;
    __builtin_memcpy(&values, lanes, sizeof values);
    LaneBits const bits = __builtin_convertvector(values < 0, LaneBits);
    LaneMask mask;
    __builtin_memcpy(&mask, &bits, sizeof mask);
    return mask;
}

inline constexpr bool compares_into_masks = false;

#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)

template <class T> [[gnu::always_inline]] inline void store_masked(T* to, T const* from, LaneMask mask) {
    if constexpr (sizeof(T) == 2) {
        _mm512_mask_storeu_epi16(to, mask, _mm512_load_si512(from));
    } else if constexpr (sizeof(T) == 4) {
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask), _mm512_load_si512(from));
        _mm512_mask_storeu_epi32(to + 16, static_cast<__mmask16>(mask >> 16), _mm512_load_si512(from + 16));
    } else if constexpr (sizeof(T) == 8) {
        for (int i = 0; i < 4; ++i) {
            _mm512_mask_storeu_epi64(to + 8 * i, static_cast<__mmask8>(mask >> 8 * i),
                                     _mm512_load_si512(from + 8 * i));
        }
    } else {
        for (int i = 0; i < warp_size; ++i)
            if (mask >> i & 1) to[i] = from[i];
    }
}

template <class T> [[gnu::always_inline]] inline LaneMask sign_mask(T const* lanes) {
    if constexpr (sizeof(T) == 2) {
        return _mm512_movepi16_mask(_mm512_load_si512(lanes));
    } else if constexpr (sizeof(T) == 4) {
        return static_cast<LaneMask>(_mm512_movepi32_mask(_mm512_load_si512(lanes))) |
               static_cast<LaneMask>(_mm512_movepi32_mask(_mm512_load_si512(lanes + 16))) << 16;
    } else {
        LaneMask mask = 0;
        for (int i = 0; i < 4; ++i) {
            mask |= static_cast<LaneMask>(_mm512_movepi64_mask(_mm512_load_si512(lanes + 8 * i))) << 8 * i;
        }
        return mask;
    }
}

/// a where the condition holds, else b.
template <class T>
[[gnu::always_inline]] inline void store_selected(T* to, T const* a, T const* b, LaneMask condition,
                                                  LaneMask mask) {
    constexpr int lanes = 64 / static_cast<int>(sizeof(T));
    for (int i = 0; i < warp_size; i += lanes) {
        __m512i const x = _mm512_loadu_si512(a + i);
        __m512i const y = _mm512_loadu_si512(b + i);
        LaneMask const c = condition >> i;
        LaneMask const m = mask >> i;
        if constexpr (sizeof(T) == 2) {
            _mm512_mask_storeu_epi16(to + i, m, _mm512_mask_blend_epi16(c, y, x));
        } else if constexpr (sizeof(T) == 4) {
            _mm512_mask_storeu_epi32(to + i, static_cast<__mmask16>(m),
                                     _mm512_mask_blend_epi32(static_cast<__mmask16>(c), y, x));
        } else {
            _mm512_mask_storeu_epi64(to + i, static_cast<__mmask8>(m),
                                     _mm512_mask_blend_epi64(static_cast<__mmask8>(c), y, x));
        }
    }
}

/// The index of eq ne lt le gt ge among the host's integer and ordered float predicates; see Comparison.
template <int integer_predicate, class T>
[[gnu::always_inline]] inline LaneMask compare_integers(T const* a, T const* b) {
    constexpr bool is_signed = T(-1) < T(0);
    LaneMask mask = 0;
    constexpr int lanes = 64 / static_cast<int>(sizeof(T));
    for (int i = 0; i < warp_size; i += lanes) {
        __m512i const x = _mm512_loadu_si512(a + i);
        __m512i const y = _mm512_loadu_si512(b + i);
        LaneMask part = 0;
        if constexpr (sizeof(T) == 2 && is_signed) part = _mm512_cmp_epi16_mask(x, y, integer_predicate);
        else if constexpr (sizeof(T) == 2) part = _mm512_cmp_epu16_mask(x, y, integer_predicate);
        else if constexpr (sizeof(T) == 4 && is_signed) part = _mm512_cmp_epi32_mask(x, y, integer_predicate);
        else if constexpr (sizeof(T) == 4) part = _mm512_cmp_epu32_mask(x, y, integer_predicate);
        else if constexpr (is_signed) part = _mm512_cmp_epi64_mask(x, y, integer_predicate);
        else part = _mm512_cmp_epu64_mask(x, y, integer_predicate);
        mask |= part << i;
    }
    return mask;
}
template <int float_predicate>
[[gnu::always_inline]] inline LaneMask compare_floats(float const* a, float const* b) {
    LaneMask const low = _mm512_cmp_ps_mask(_mm512_loadu_ps(a), _mm512_loadu_ps(b), float_predicate);
    LaneMask const high = _mm512_cmp_ps_mask(_mm512_loadu_ps(a + 16), _mm512_loadu_ps(b + 16), float_predicate);
    return low | high << 16;
}
template <int float_predicate>
[[gnu::always_inline]] inline LaneMask compare_floats(double const* a, double const* b) {
    LaneMask mask = 0;
    for (int i = 0; i < warp_size; i += 8) {
        LaneMask const part = _mm512_cmp_pd_mask(_mm512_loadu_pd(a + i), _mm512_loadu_pd(b + i), float_predicate);
        mask |= part << i;
    }
    return mask;
}
inline constexpr bool compares_into_masks = true;

#elif defined(__AVX2__)

inline constexpr bool compares_into_masks = false;

template <class T> [[gnu::always_inline]] inline void store_masked(T* to, T const* from, LaneMask mask) {
    if (mask == all_lanes) {
        for (int i = 0; i < warp_size; ++i) to[i] = from[i];
    } else if constexpr (sizeof(T) == 2) {
        __m256i const bit = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384,
                                              static_cast<short>(0x8000));
        for (int half = 0; half < 2; ++half) {
            __m256i const m = _mm256_set1_epi16(static_cast<short>(mask >> 16 * half));
            auto* const d = reinterpret_cast<__m256i*>(to + 16 * half);
            __m256i const keep = _mm256_cmpeq_epi16(_mm256_and_si256(m, bit), bit);
            auto const* const s = reinterpret_cast<__m256i const*>(from + 16 * half);
            _mm256_storeu_si256(d, _mm256_blendv_epi8(_mm256_loadu_si256(d), _mm256_load_si256(s), keep));
        }
    } else if constexpr (sizeof(T) == 4) {
        // The sign bit of each 32-bit lane selects: shifts bit i of the mask there in lane i.
        __m256i const shift = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
        for (int part = 0; part < 4; ++part) {
            __m256i const m = _mm256_sllv_epi32(_mm256_set1_epi32(static_cast<int>(mask >> 8 * part)), shift);
            auto* const d = reinterpret_cast<float*>(to + 8 * part);
            auto const* const s = reinterpret_cast<float const*>(from + 8 * part);
            _mm256_storeu_ps(d, _mm256_blendv_ps(_mm256_loadu_ps(d), _mm256_load_ps(s), _mm256_castsi256_ps(m)));
        }
    } else if constexpr (sizeof(T) == 8) {
        __m256i const shift = _mm256_setr_epi64x(63, 62, 61, 60);
        for (int part = 0; part < 8; ++part) {
            __m256i const m =
                _mm256_sllv_epi64(_mm256_set1_epi64x(static_cast<long long>(mask >> 4 * part)), shift);
            auto* const d = reinterpret_cast<double*>(to + 4 * part);
            auto const* const s = reinterpret_cast<double const*>(from + 4 * part);
            _mm256_storeu_pd(d, _mm256_blendv_pd(_mm256_loadu_pd(d), _mm256_load_pd(s), _mm256_castsi256_pd(m)));
        }
    } else {
        for (int i = 0; i < warp_size; ++i)
            if (mask >> i & 1) to[i] = from[i];
    }
}

template <class T> [[gnu::always_inline]] inline LaneMask sign_mask(T const* lanes) {
    LaneMask mask = 0;
    if constexpr (sizeof(T) == 2) {
        __m256i const low = _mm256_load_si256(reinterpret_cast<__m256i const*>(lanes));
        __m256i const high = _mm256_load_si256(reinterpret_cast<__m256i const*>(lanes + 16));
        // packs interleaves the 128-bit halves; this restores their order.
        __m256i const packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
        mask = static_cast<LaneMask>(_mm256_movemask_epi8(packed));
    } else if constexpr (sizeof(T) == 4) {
        for (int i = 0; i < 4; ++i) {
            mask |= static_cast<LaneMask>(
                        _mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<float const*>(lanes + 8 * i))))
                    << 8 * i;
        }
    } else {
        for (int i = 0; i < 8; ++i) {
            mask |= static_cast<LaneMask>(
                        _mm256_movemask_pd(_mm256_load_pd(reinterpret_cast<double const*>(lanes + 4 * i))))
                    << 4 * i;
        }
    }
    return mask;
}

#else  // baseline x86-64: SSE2

inline constexpr bool compares_into_masks = false;

template <class T> [[gnu::always_inline]] inline void store_masked(T* to, T const* from, LaneMask mask) {
    if (mask == all_lanes) {
        for (int i = 0; i < warp_size; ++i) to[i] = from[i];
    } else if constexpr (sizeof(T) <= 8) {
        constexpr int lanes = 16 / static_cast<int>(sizeof(T));
        for (int part = 0; part < warp_size / lanes; ++part) {
            __m128i keep;
            if constexpr (sizeof(T) == 2) {
                __m128i const bit = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
                keep = _mm_cmpeq_epi16(
                    _mm_and_si128(_mm_set1_epi16(static_cast<short>(mask >> 8 * part & 0xff)), bit), bit);
            } else if constexpr (sizeof(T) == 8) {
                __m128i const bit = _mm_setr_epi32(1, 1, 2, 2);
                keep = _mm_cmpeq_epi32(
                    _mm_and_si128(_mm_set1_epi32(static_cast<int>(mask >> 2 * part & 0x3)), bit), bit);
            } else {
                __m128i const bit = _mm_setr_epi32(1, 2, 4, 8);
                keep = _mm_cmpeq_epi32(
                    _mm_and_si128(_mm_set1_epi32(static_cast<int>(mask >> 4 * part & 0xf)), bit), bit);
            }
            auto* const d = reinterpret_cast<__m128i*>(to + lanes * part);
            __m128i const s = _mm_load_si128(reinterpret_cast<__m128i const*>(from + lanes * part));
            _mm_storeu_si128(d, _mm_or_si128(_mm_and_si128(keep, s), _mm_andnot_si128(keep, _mm_loadu_si128(d))));
        }
    } else {
        for (int i = 0; i < warp_size; ++i)
            if (mask >> i & 1) to[i] = from[i];
    }
}

template <class T> [[gnu::always_inline]] inline LaneMask sign_mask(T const* lanes) {
    LaneMask mask = 0;
    if constexpr (sizeof(T) == 2) {
        for (int i = 0; i < 2; ++i) {
            __m128i const low = _mm_load_si128(reinterpret_cast<__m128i const*>(lanes + 16 * i));
            __m128i const high = _mm_load_si128(reinterpret_cast<__m128i const*>(lanes + 16 * i + 8));
            mask |= static_cast<LaneMask>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) << 16 * i;
        }
    } else if constexpr (sizeof(T) == 4) {
        for (int i = 0; i < 8; ++i) {
            mask |=
                static_cast<LaneMask>(_mm_movemask_ps(_mm_load_ps(reinterpret_cast<float const*>(lanes + 4 * i))))
                << 4 * i;
        }
    } else {
        for (int i = 0; i < 16; ++i) {
            mask |=
                static_cast<LaneMask>(_mm_movemask_pd(_mm_load_pd(reinterpret_cast<double const*>(lanes + 2 * i))))
                << 2 * i;
        }
    }
    return mask;
}

#endif

#if defined(WARPSIM_BITCODE) || \
    !(defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__))
template <class T>
[[gnu::always_inline]] inline void store_selected(T* to, T const* a, T const* b, LaneMask condition,
                                                  LaneMask mask) {
    alignas(64) T chosen[warp_size];
    alignas(64) T where_true[warp_size];
    for (int i = 0; i < warp_size; ++i) chosen[i] = b[i];
    for (int i = 0; i < warp_size; ++i) where_true[i] = a[i];
    store_masked(chosen, where_true, condition);
    store_masked(to, chosen, mask);
}
#endif

/// Sets the host's rounding mode for the lifetime of the object; affects only the MXCSR of the calling thread.
class HostRounding {
public:
    [[gnu::always_inline]] explicit HostRounding(Rounding mode) : saved_(_mm_getcsr()) {
        unsigned const bits = mode == Rounding::rm || mode == Rounding::rmi   ? 0x2000u
                              : mode == Rounding::rp || mode == Rounding::rpi ? 0x4000u
                              : mode == Rounding::rz || mode == Rounding::rzi ? 0x6000u
                                                                              : 0u;
        _mm_setcsr((saved_ & ~0x6000u) | bits);
    }
    [[gnu::always_inline]] ~HostRounding() { _mm_setcsr(saved_); }
    HostRounding(HostRounding const&) = delete;
    HostRounding& operator=(HostRounding const&) = delete;

private:
    unsigned saved_;
};

}  // namespace warpsim::isa::WARPSIM_HOST
