// A byte for each lane of a warp, in registers of the host: compared with the bytes of other lanes without a detour
// through memory, where loads that overlap two recent stores stall. For code that is compiled for each host
// instruction set.
#pragma once

#include "frontend/isa/operands.hpp"

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#ifndef WARPSIM_HOST
#error "compile lane code with -DWARPSIM_HOST=baseline, avx2 or avx512"
#endif

namespace warpsim::sim::WARPSIM_HOST {

#ifdef __AVX2__

struct LaneBytes {
    __m256i bytes;
};

[[gnu::always_inline]] inline LaneBytes load_bytes(std::uint8_t const* from) {
    return {_mm256_load_si256(reinterpret_cast<__m256i const*>(from))};
}
[[gnu::always_inline]] inline LaneBytes same_in_all(std::uint8_t value) {
    return {_mm256_set1_epi8(static_cast<char>(value))};
}
/// 0xff where they are equal, else 0.
[[gnu::always_inline]] inline LaneBytes equal(LaneBytes a, LaneBytes b) {
    return {_mm256_cmpeq_epi8(a.bytes, b.bytes)};
}
[[gnu::always_inline]] inline LaneBytes operator&(LaneBytes a, LaneBytes b) {
    return {_mm256_and_si256(a.bytes, b.bytes)};
}
[[gnu::always_inline]] inline LaneBytes operator|(LaneBytes a, LaneBytes b) {
    return {_mm256_or_si256(a.bytes, b.bytes)};
}
[[gnu::always_inline]] inline LaneBytes operator-(LaneBytes a, LaneBytes b) {
    return {_mm256_sub_epi8(a.bytes, b.bytes)};
}
[[gnu::always_inline]] inline LaneMask sign_mask(LaneBytes a) {
    return static_cast<LaneMask>(_mm256_movemask_epi8(a.bytes));
}
/// Lane i gets the byte of lane i + distance, counted around the warp.
template <int distance> [[gnu::always_inline]] inline LaneBytes rotate(LaneBytes a) {
    __m256i const swapped = _mm256_permute2x128_si256(a.bytes, a.bytes, 1);
    if constexpr (distance < 16) return {_mm256_alignr_epi8(swapped, a.bytes, distance)};
    else return {_mm256_alignr_epi8(a.bytes, swapped, distance - 16)};
}
/// Lane i gets the byte of lane i - distance, and 0 where there is none.
template <int distance> [[gnu::always_inline]] inline LaneBytes shift_up(LaneBytes a) {
    __m256i const low_half = _mm256_permute2x128_si256(a.bytes, a.bytes, 0x08);  // (0, lanes 0 to 15)
    if constexpr (distance < 16) return {_mm256_alignr_epi8(a.bytes, low_half, 16 - distance)};
    else return {_mm256_slli_si256(low_half, distance - 16)};
}
/// The largest byte.
[[gnu::always_inline]] inline std::uint8_t largest(LaneBytes a) {
    __m128i most = _mm_max_epu8(_mm256_castsi256_si128(a.bytes), _mm256_extracti128_si256(a.bytes, 1));
    most = _mm_max_epu8(most, _mm_srli_epi16(most, 8));
    // The minimum of 16-bit words is an instruction: of the complement's.
    __m128i const words = _mm_xor_si128(_mm_and_si128(most, _mm_set1_epi16(0xff)), _mm_set1_epi16(0xff));
    return static_cast<std::uint8_t>(0xff - _mm_extract_epi16(_mm_minpos_epu16(words), 0));
}

#else

struct LaneBytes {
    __m128i low, high;
};

[[gnu::always_inline]] inline LaneBytes load_bytes(std::uint8_t const* from) {
    auto const* const halves = reinterpret_cast<__m128i const*>(from);
    return {_mm_load_si128(halves), _mm_load_si128(halves + 1)};
}
[[gnu::always_inline]] inline LaneBytes same_in_all(std::uint8_t value) {
    __m128i const half = _mm_set1_epi8(static_cast<char>(value));
    return {half, half};
}
[[gnu::always_inline]] inline LaneBytes equal(LaneBytes a, LaneBytes b) {
    return {_mm_cmpeq_epi8(a.low, b.low), _mm_cmpeq_epi8(a.high, b.high)};
}
[[gnu::always_inline]] inline LaneBytes operator&(LaneBytes a, LaneBytes b) {
    return {_mm_and_si128(a.low, b.low), _mm_and_si128(a.high, b.high)};
}
[[gnu::always_inline]] inline LaneBytes operator|(LaneBytes a, LaneBytes b) {
    return {_mm_or_si128(a.low, b.low), _mm_or_si128(a.high, b.high)};
}
[[gnu::always_inline]] inline LaneBytes operator-(LaneBytes a, LaneBytes b) {
    return {_mm_sub_epi8(a.low, b.low), _mm_sub_epi8(a.high, b.high)};
}
[[gnu::always_inline]] inline LaneMask sign_mask(LaneBytes a) {
    return static_cast<LaneMask>(_mm_movemask_epi8(a.low)) | static_cast<LaneMask>(_mm_movemask_epi8(a.high))
                                                                 << 16;
}
template <int distance> [[gnu::always_inline]] inline LaneBytes rotate(LaneBytes a) {
    if constexpr (distance >= 16) {
        return rotate<distance - 16>(LaneBytes{a.high, a.low});
    } else {
        return {_mm_or_si128(_mm_srli_si128(a.low, distance), _mm_slli_si128(a.high, 16 - distance)),
                _mm_or_si128(_mm_srli_si128(a.high, distance), _mm_slli_si128(a.low, 16 - distance))};
    }
}
template <int distance> [[gnu::always_inline]] inline LaneBytes shift_up(LaneBytes a) {
    if constexpr (distance >= 16) {
        return {_mm_setzero_si128(), _mm_slli_si128(a.low, distance - 16)};
    } else {
        return {_mm_slli_si128(a.low, distance),
                _mm_or_si128(_mm_slli_si128(a.high, distance), _mm_srli_si128(a.low, 16 - distance))};
    }
}
[[gnu::always_inline]] inline std::uint8_t largest(LaneBytes a) {
    __m128i most = _mm_max_epu8(a.low, a.high);
    most = _mm_max_epu8(most, _mm_srli_si128(most, 8));
    most = _mm_max_epu8(most, _mm_srli_si128(most, 4));
    most = _mm_max_epu8(most, _mm_srli_si128(most, 2));
    most = _mm_max_epu8(most, _mm_srli_si128(most, 1));
    return static_cast<std::uint8_t>(_mm_cvtsi128_si32(most));
}

#endif

}  // namespace warpsim::sim::WARPSIM_HOST
