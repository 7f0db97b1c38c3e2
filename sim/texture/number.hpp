// Numbers of texels and what is between them.
#pragma once

#include <bit>
#include <cstdint>

namespace warpsim::sim::texture {

constexpr float f32_of_f16(std::uint32_t half) {
    std::uint32_t const sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    float const magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
}

/// To nearest even; any NaN is 0x7fff.
constexpr std::uint32_t f16_of_f32(float value) {
    auto const bits = std::bit_cast<std::uint32_t>(value);
    std::uint32_t const sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fff;
    if (magnitude >= 0x47800000) return sign | 0x7c00;
    if (magnitude < 0x38800000) {  // subnormal: the sum's last bit is worth 2^-24
        float const sum = std::bit_cast<float>(magnitude) + 0.5f;
        return sign | (std::bit_cast<std::uint32_t>(sum) - 0x3f000000);
    }
    std::uint32_t const rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return sign | ((rounded - 0x38000000) >> 13);
}

}  // namespace warpsim::sim::texture
