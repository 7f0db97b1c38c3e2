// What fetches need of the host's vectors. Compiled for each host instruction set (WARPSIM_HOST); all of it is inlined.
#pragma once

#include "sim/host_vectors.hpp"

namespace warpsim::sim::texture::WARPSIM_HOST {

using namespace sim::WARPSIM_HOST;

namespace {

/// The channels of one texel.
using Quad = float __attribute__((vector_size(16)));
using QuadMask = std::int32_t __attribute__((vector_size(16)));

#if defined(__AVX512F__) && defined(__AVX512BW__)
WARPSIM_INLINE Ints nearest(Floats x) { return as<Ints>(_mm512_cvtps_epi32(as<__m512>(x))); }
#elif defined(__AVX2__)
WARPSIM_INLINE Ints nearest(Floats x) { return as<Ints>(_mm256_cvtps_epi32(as<__m256>(x))); }
#else
WARPSIM_INLINE Ints nearest(Floats x) { return as<Ints>(_mm_cvtps_epi32(as<__m128>(x))); }
#endif

/// Numbers from 2^23 on are whole.
WARPSIM_INLINE Floats floor(Floats x) {
    Floats const whole = to_floats(to_integers(x));
    Floats const down = whole > x ? whole - 1.0f : whole;
    Ints const is_small = as<Ints>(as<Words>(x) & 0x7fffffffu) < 0x4b000000;
    return is_small ? down : x;
}

}  // namespace
}  // namespace warpsim::sim::texture::WARPSIM_HOST
