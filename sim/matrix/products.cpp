#include "sim/matrix/products.hpp"

#include "sim/matrix/number.hpp"

#include <cstring>

namespace warpsim::sim::matrix {

namespace baseline {
extern ProductFunctions const functions;
}
namespace avx2 {
extern ProductFunctions const functions;
}
namespace avx512 {
extern ProductFunctions const functions;
}

ProductFunctions const& product_functions(isa::HostIsa host) {
    switch (host) {
        case isa::HostIsa::avx512: return avx512::functions;
        case isa::HostIsa::avx2: return avx2::functions;
        case isa::HostIsa::baseline: break;
    }
    return baseline::functions;
}

void transpose_halves(std::uint32_t* to, std::uint32_t const* from) {
    std::uint16_t rows[8][8], columns[8][8];
    std::memcpy(rows, from, sizeof rows);
    for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t j = 0; j < 8; ++j) columns[i][j] = rows[j][i];
    }
    std::memcpy(to, columns, sizeof columns);
}

namespace {

std::uint32_t converted(std::uint32_t bits, isa::Type from, isa::Type to, std::uint32_t nan) {
    Number const n = unpack(element_format(from), bits);
    ElementFormat const& format = element_format(to);
    std::uint32_t const sign = n.is_negative ? 1u << (format.exponent_bits + format.fraction_bits) : 0u;
    if (n.kind == Number::Kind::nan) return nan;
    if (n.kind == Number::Kind::infinite) return format.first_special | sign;
    if (n.significand == 0) return sign;
    return rounded(format, n.is_negative, {n.significand, n.exponent - n.fraction_bits, false},
                   format.fraction_bits, true);
}

}  // namespace

std::uint32_t f32_of_f16(std::uint32_t bits) { return converted(bits, isa::Type::f16, isa::Type::f32, nan_f32); }
std::uint32_t f16_of_f32(std::uint32_t bits) { return converted(bits, isa::Type::f32, isa::Type::f16, nan_f16); }

}  // namespace warpsim::sim::matrix
