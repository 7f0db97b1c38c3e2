// What fetches need of the host's vectors. Compiled for each host instruction set (WARPSIM_HOST); all of it is inlined.
#pragma once

#include "sim/host_vectors.hpp"

namespace warpsim::sim::texture::WARPSIM_HOST {

using namespace sim::WARPSIM_HOST;

namespace {

/// The channels of one texel.
using Quad = float __attribute__((vector_size(16)));
using QuadMask = std::int32_t __attribute__((vector_size(16)));

constexpr std::int32_t bits_of_infinity = 0x7f800000;

/// Whether a comparison is true of any lane.
#if defined(__AVX512F__) && defined(__AVX512BW__)
WARPSIM_INLINE bool any(Ints mask) { return _mm512_test_epi32_mask(as<__m512i>(mask), as<__m512i>(mask)) != 0; }
#elif defined(__AVX2__)
WARPSIM_INLINE bool any(Ints mask) { return _mm256_testz_si256(as<__m256i>(mask), as<__m256i>(mask)) == 0; }
#else
WARPSIM_INLINE bool any(Ints mask) { return _mm_movemask_epi8(as<__m128i>(mask)) != 0; }
#endif

/// Numbers from 2^23 on are whole.
WARPSIM_INLINE Floats floor(Floats x) {
    Floats const whole = to_floats(to_integers(x));
    Floats const down = whole > x ? whole - 1.0f : whole;
    Ints const is_small = as<Ints>(as<Words>(x) & 0x7fffffffu) < 0x4b000000;
    return is_small ? down : x;
}

/// Of numbers below 2^31.
WARPSIM_INLINE Ints floor_to_integers(Floats x) {
    Ints const whole = to_integers(x);
    return whole + as<Ints>(to_floats(whole) > x);
}

}  // namespace
}  // namespace warpsim::sim::texture::WARPSIM_HOST
