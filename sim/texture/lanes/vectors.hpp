// The vectors of the host that fetches are computed with. Compiled for each host instruction set (WARPSIM_HOST); all of it
// is inlined.
#pragma once

#include <cstdint>
#include <immintrin.h>

#ifndef WARPSIM_HOST
#error "compile lane code with -DWARPSIM_HOST=baseline, avx2 or avx512"
#endif

namespace warpsim::sim::texture::WARPSIM_HOST {
namespace {

#define WARPSIM_INLINE [[gnu::always_inline]] inline

#if defined(__AVX512F__) && defined(__AVX512BW__)
inline constexpr int width = 16;
#elif defined(__AVX2__)
inline constexpr int width = 8;
#else
inline constexpr int width = 4;
#endif
inline constexpr int vector_bytes = 4 * width;

using Ints = std::int32_t __attribute__((vector_size(vector_bytes)));
using Words = std::uint32_t __attribute__((vector_size(vector_bytes)));
using Floats = float __attribute__((vector_size(vector_bytes)));
/// The channels of one texel.
using Quad = float __attribute__((vector_size(16)));
using QuadMask = std::int32_t __attribute__((vector_size(16)));

template <class To, class From> WARPSIM_INLINE To as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    return reinterpret_cast<To>(from);
}
template <class V> WARPSIM_INLINE V load(void const* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
template <class V> WARPSIM_INLINE void store(void* to, V v) { __builtin_memcpy(to, &v, sizeof v); }

#if defined(__AVX512F__) && defined(__AVX512BW__)
WARPSIM_INLINE Ints truncated(Floats x) { return as<Ints>(_mm512_cvttps_epi32(as<__m512>(x))); }
WARPSIM_INLINE Ints nearest(Floats x) { return as<Ints>(_mm512_cvtps_epi32(as<__m512>(x))); }
WARPSIM_INLINE Floats to_floats(Ints x) { return as<Floats>(_mm512_cvtepi32_ps(as<__m512i>(x))); }
#elif defined(__AVX2__)
WARPSIM_INLINE Ints truncated(Floats x) { return as<Ints>(_mm256_cvttps_epi32(as<__m256>(x))); }
WARPSIM_INLINE Ints nearest(Floats x) { return as<Ints>(_mm256_cvtps_epi32(as<__m256>(x))); }
WARPSIM_INLINE Floats to_floats(Ints x) { return as<Floats>(_mm256_cvtepi32_ps(as<__m256i>(x))); }
#else
WARPSIM_INLINE Ints truncated(Floats x) { return as<Ints>(_mm_cvttps_epi32(as<__m128>(x))); }
WARPSIM_INLINE Ints nearest(Floats x) { return as<Ints>(_mm_cvtps_epi32(as<__m128>(x))); }
WARPSIM_INLINE Floats to_floats(Ints x) { return as<Floats>(_mm_cvtepi32_ps(as<__m128i>(x))); }
#endif

/// Numbers from 2^23 on are whole.
WARPSIM_INLINE Floats floor(Floats x) {
    Floats const whole = to_floats(truncated(x));
    Floats const down = whole > x ? whole - 1.0f : whole;
    Ints const is_small = as<Ints>(as<Words>(x) & 0x7fffffffu) < 0x4b000000;
    return is_small ? down : x;
}

}  // namespace
}  // namespace warpsim::sim::texture::WARPSIM_HOST
