#include "sim/texture/blend.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpsim::sim::texture {

namespace {

/// Of f16 and f32. Each plane's numbers lose the digits that are too small beside the greatest one's: 4 behind its last. The
/// sum of a plane whose greatest number is `spread` powers of two smaller than another plane's loses what is behind that
/// one's digits.
struct FloatRules {
    int digits;
    int least_exponent;  // biased as in an f32, of a plane's greatest number
    int spread;
};
constexpr int guard_digits = 4;
constexpr FloatRules rules_of_f32{24, 28, 12}, rules_of_f16{11, 113, 0};

constexpr double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

/// Halves away from zero.
float rounded_to_f32(double value) {
    constexpr std::uint64_t half = std::uint64_t{1} << 28;
    return static_cast<float>(
        std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + half) & ~(2 * half - 1)));
}
float rounded_to_f16(double value) {
    double const magnitude = std::fabs(value);
    if (magnitude < 0x1p-14) {
        double const rounded = static_cast<double>(static_cast<std::int32_t>(magnitude * 0x1p24 + 0.5)) * 0x1p-24;
        return static_cast<float>(std::copysign(rounded, value));
    }
    constexpr std::uint64_t half = std::uint64_t{1} << 41;
    return static_cast<float>(
        std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + half) & ~(2 * half - 1)));
}

}  // namespace

Format added_as(Format format) {
    bool const is_normalized = format.channel == Channel::unorm8 || format.channel == Channel::snorm8 ||
                               format.channel == Channel::unorm16 || format.channel == Channel::snorm16;
    return is_normalized ? as_integers(format) : format;
}

void Blend::add(Texel const& numbers, std::int32_t weight, std::size_t plane) {
    if (weight == 0) return;
    parts_[count_++] = {numbers, weight, plane};
    planes_ = std::max(planes_, plane + 1);
}

/// Of 8 bits, unsigned numbers are made 16 bits wide before they are added up, signed ones after that.
float Blend::sum_of_integers(std::size_t c) const {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i)
        sum += static_cast<std::int32_t>(parts_[i].numbers[c]) * parts_[i].weight;
    auto const rounded = [](std::int32_t x) { return static_cast<float>((x + 128) >> 8); };
    switch (channel_) {
        case Channel::unorm8: return rounded(sum * 257) / 65535;
        case Channel::unorm16: return rounded(sum) / 65535;
        case Channel::snorm16: return std::max(rounded(sum) / 32767, -1.0f);
        default: {
            std::int32_t const wide = sum + (((sum >> 4) * 257 + 1024) >> 11);
            return std::max(static_cast<float>(wide) / 32767, -1.0f);
        }
    }
}

float Blend::sum_of_floats(std::size_t c) const {
    bool const is_half = channel_ == Channel::f16;
    FloatRules const& rules = is_half ? rules_of_f16 : rules_of_f32;
    constexpr int infinity = 255;
    std::array<int, most_planes> exponents{};
    int greatest = rules.least_exponent;
    for (std::size_t i = 0; i < count_; ++i) {
        int& exponent = exponents[parts_[i].plane];
        exponent = std::max(exponent, static_cast<int>(parts_[i].numbers[c] >> 23 & infinity));
        greatest = std::max(greatest, exponent);
    }
    if (greatest == infinity || (channel_ != Channel::f16 && channel_ != Channel::f32)) {
        float sum = 0;
        for (std::size_t i = 0; i < count_; ++i)
            sum += std::bit_cast<float>(parts_[i].numbers[c]) * (static_cast<float>(parts_[i].weight) / 256);
        return sum;
    }
    // In units of the last digit of the plane with the greatest number, and of 2^-12 of it.
    constexpr int more_digits = 12;
    std::int64_t sum = 0;
    for (std::size_t p = 0, i = 0; p < planes_; ++p) {
        int const exponent = std::max(exponents[p], rules.least_exponent);
        auto const scale = static_cast<float>(power_of_two(126 + rules.digits + guard_digits - exponent));
        std::int64_t plane = 0;
        for (; i < count_ && parts_[i].plane == p; ++i) {
            auto const cut = static_cast<std::int32_t>(std::bit_cast<float>(parts_[i].numbers[c]) * scale);
            plane += std::int64_t{cut} * parts_[i].weight;
        }
        int const spread = std::min(greatest - exponent, 63);
        sum += spread >= rules.spread ? (plane >> spread) << more_digits : (plane << more_digits) >> spread;
    }
    double const value =
        static_cast<double>(sum) * power_of_two(greatest - 126 - rules.digits - guard_digits - 8 - more_digits);
    return is_half ? rounded_to_f16(value) : rounded_to_f32(value);
}

Texel Blend::sum() const {
    bool const adds_integers = added_as({channel_, 1}).channel != channel_;
    Texel result{};
    for (std::size_t c = 0; c < channels_; ++c)
        result[c] = std::bit_cast<std::uint32_t>(adds_integers ? sum_of_integers(c) : sum_of_floats(c));
    return result;
}

}  // namespace warpsim::sim::texture
