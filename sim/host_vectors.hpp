// The widest vectors of the host, for code that is compiled for each host instruction set (WARPSIM_HOST). All of it is
// inlined.
#pragma once

#include <cstdint>
#include <immintrin.h>

#ifndef WARPSIM_HOST
#error "compile lane code with -DWARPSIM_HOST=baseline, avx2 or avx512"
#endif

#define WARPSIM_INLINE [[gnu::always_inline]] inline

namespace warpsim::sim::WARPSIM_HOST {
namespace {

/// Elements of 32 bits.
#if defined(__AVX512F__) && defined(__AVX512BW__)
inline constexpr int lanes = 16;
#elif defined(__AVX2__)
inline constexpr int lanes = 8;
#else
inline constexpr int lanes = 4;
#endif
inline constexpr int vector_bytes = 4 * lanes;

using Ints = std::int32_t __attribute__((vector_size(vector_bytes)));
using Words = std::uint32_t __attribute__((vector_size(vector_bytes)));
using Floats = float __attribute__((vector_size(vector_bytes)));

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

/// Towards zero.
#if defined(__AVX512F__) && defined(__AVX512BW__)
WARPSIM_INLINE Ints to_integers(Floats x) { return as<Ints>(_mm512_cvttps_epi32(as<__m512>(x))); }
WARPSIM_INLINE Floats to_floats(Ints x) { return as<Floats>(_mm512_cvtepi32_ps(as<__m512i>(x))); }
#elif defined(__AVX2__)
WARPSIM_INLINE Ints to_integers(Floats x) { return as<Ints>(_mm256_cvttps_epi32(as<__m256>(x))); }
WARPSIM_INLINE Floats to_floats(Ints x) { return as<Floats>(_mm256_cvtepi32_ps(as<__m256i>(x))); }
#else
WARPSIM_INLINE Ints to_integers(Floats x) { return as<Ints>(_mm_cvttps_epi32(as<__m128>(x))); }
WARPSIM_INLINE Floats to_floats(Ints x) { return as<Floats>(_mm_cvtepi32_ps(as<__m128i>(x))); }
#endif

}  // namespace
}  // namespace warpsim::sim::WARPSIM_HOST
