#include "sim/matrix/number.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace warpsim::sim::matrix {

namespace {

constexpr std::uint32_t never = 0xffffffff;
constexpr ElementFormat f16{16, 0, 5, 10, 15, 0x7c00, true};
constexpr ElementFormat bf16{16, 0, 8, 7, 127, 0x7f80, true};
// The hardware does not read the 13 bits below.
constexpr ElementFormat tf32{32, 13, 8, 10, 127, 0x3fc00, true};
constexpr ElementFormat f32{32, 0, 8, 23, 127, 0x7f800000, true};
constexpr ElementFormat e4m3{8, 0, 4, 3, 7, 0x7f, false};
constexpr ElementFormat e5m2{8, 0, 5, 2, 15, 0x7c, true};
constexpr ElementFormat e3m2{8, 0, 3, 2, 3, never, false};
constexpr ElementFormat e2m3{8, 0, 2, 3, 1, never, false};
constexpr ElementFormat e2m1{8, 2, 2, 1, 1, never, false};
constexpr ElementFormat packed_e2m1{4, 0, 2, 1, 1, never, false};

}  // namespace

ElementFormat const& element_format(isa::Type type, bool is_packed) {
    switch (type) {
        case isa::Type::f16: return f16;
        case isa::Type::bf16: return bf16;
        case isa::Type::tf32: return tf32;
        case isa::Type::f32: return f32;
        case isa::Type::e4m3: return e4m3;
        case isa::Type::e5m2: return e5m2;
        case isa::Type::e3m2: return e3m2;
        case isa::Type::e2m3: return e2m3;
        case isa::Type::e2m1: return is_packed ? packed_e2m1 : e2m1;
        default: throw std::logic_error("no floating-point element of a matrix: " + std::string(isa::name(type)));
    }
}

Number unpack(ElementFormat const& format, std::uint32_t bits) {
    std::uint32_t const code = bits >> format.shift;
    int const magnitude_bits = format.exponent_bits + format.fraction_bits;
    std::uint32_t const magnitude = code & ((1u << magnitude_bits) - 1);
    Number number;
    number.is_negative = (code >> magnitude_bits & 1) != 0;
    number.fraction_bits = format.fraction_bits;
    if (magnitude >= format.first_special) {
        bool const is_infinite = format.has_infinity && magnitude == format.first_special;
        number.kind = is_infinite ? Number::Kind::infinite : Number::Kind::nan;
        return number;
    }
    std::uint32_t const field = magnitude >> format.fraction_bits;
    std::uint32_t const fraction = magnitude & ((1u << format.fraction_bits) - 1);
    number.significand = fraction | (field != 0 ? 1u << format.fraction_bits : 0u);
    number.exponent = static_cast<int>(std::max(field, 1u)) - format.bias;
    return number;
}

std::uint32_t rounded(ElementFormat const& format, bool is_negative, Magnitude magnitude, int kept_bits,
                      bool to_nearest) {
    if (magnitude.significand == 0) return 0;
    int const smallest = 1 - format.bias;
    int const leading = 63 - std::countl_zero(magnitude.significand) + magnitude.exponent;
    // The last place that the result can have, and how many places of the significand lie below it.
    int const last_place = std::max(leading - kept_bits, smallest - format.fraction_bits);
    int const below = last_place - magnitude.exponent;
    std::uint64_t kept = 0;
    if (below <= 0) {
        kept = magnitude.significand << -below;
    } else if (below < 64) {
        kept = magnitude.significand >> below;
        std::uint64_t const lost = magnitude.significand & ((std::uint64_t{1} << below) - 1);
        std::uint64_t const half = std::uint64_t{1} << (below - 1);
        bool const rounds_up = lost > half || (lost == half && (magnitude.is_inexact || (kept & 1) != 0));
        if (to_nearest && rounds_up) ++kept;
    }
    std::uint32_t const sign = is_negative ? 1u << (format.exponent_bits + format.fraction_bits) : 0u;
    int const width = 63 - std::countl_zero(kept);
    int const exponent = width + last_place;
    if (kept == 0 || exponent < smallest) {
        return sign | static_cast<std::uint32_t>(kept << (last_place - (smallest - format.fraction_bits)));
    }
    if (exponent > format.bias) return sign | format.first_special;
    // A carry may have made it one bit longer than the format's significand; that bit is zero.
    int const to_left = format.fraction_bits - width;
    std::uint64_t const significand = to_left >= 0 ? kept << to_left : kept >> -to_left;
    std::uint64_t const fraction = significand & ((std::uint64_t{1} << format.fraction_bits) - 1);
    auto const field = static_cast<std::uint64_t>(exponent + format.bias);
    return sign | static_cast<std::uint32_t>(field << format.fraction_bits | fraction);
}

}  // namespace warpsim::sim::matrix
