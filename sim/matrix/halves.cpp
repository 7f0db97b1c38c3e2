#include "sim/matrix/halves.hpp"

#include "sim/matrix/number.hpp"
#include "sim/matrix/products.hpp"

#include <array>
#include <bit>

namespace warpsim::sim::matrix {

namespace {

std::array<std::uint16_t, 256> halves_of(isa::Type type) {
    std::array<std::uint16_t, 256> table{};
    for (std::uint32_t code = 0; code < 256; ++code) {
        Number const n = unpack(element_format(type), code);
        std::uint32_t const sign = n.is_negative ? 0x8000u : 0u;
        std::uint32_t magnitude = 0;
        if (n.kind == Number::Kind::nan) magnitude = nan_f16;
        else if (n.kind == Number::Kind::infinite) magnitude = 0x7c00u;
        else if (n.significand != 0)
            magnitude = rounded(element_format(isa::Type::f16), false,
                                {n.significand, n.exponent - n.fraction_bits, false}, 10, true);
        table[code] = static_cast<std::uint16_t>(sign | magnitude);
    }
    return table;
}

}  // namespace

std::uint32_t halves_of_bytes(isa::Type type, std::uint32_t bytes) {
    static std::array<std::uint16_t, 256> const of_e4m3 = halves_of(isa::Type::e4m3),
                                                of_e5m2 = halves_of(isa::Type::e5m2);
    std::array<std::uint16_t, 256> const& table = type == isa::Type::e4m3 ? of_e4m3 : of_e5m2;
    return table[bytes & 0xff] | std::uint32_t{table[bytes >> 8 & 0xff]} << 16;
}

std::uint32_t sum_of_parts(bool is_f16, std::uint32_t a, std::uint32_t b) {
    float const sum =
        std::bit_cast<float>(is_f16 ? f32_of_f16(a) : a) + std::bit_cast<float>(is_f16 ? f32_of_f16(b) : b);
    std::uint32_t const bits = sum == sum ? std::bit_cast<std::uint32_t>(sum) : nan_f32;
    return is_f16 ? f16_of_f32(bits) : bits;
}

}  // namespace warpsim::sim::matrix
