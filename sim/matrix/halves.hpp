// Elements of 8 bits as f16, and sums of two results: what GPUs do that multiply 8-bit floats with units for f16.
#pragma once

#include "sim/matrix/reference.hpp"

#include <cstdint>

namespace warpsim::sim::matrix {

/// Whether a product is computed so: other formats and scaled ones, which such GPUs do not have, are added exactly.
constexpr bool goes_through_halves(FloatProduct const& product) {
    auto const is_byte = [](isa::Type type) { return type == isa::Type::e4m3 || type == isa::Type::e5m2; };
    return product.accumulator.sum == Sum::halves && is_byte(product.a) && is_byte(product.b) &&
           product.scale_block == 0;
}

/// The two lowest bytes, e4m3 or e5m2, as numbers of f16 in the same order; all of them are exact.
std::uint32_t halves_of_bytes(isa::Type type, std::uint32_t bytes);

/// To nearest even, in f32 or f16.
std::uint32_t sum_of_parts(bool is_f16, std::uint32_t a, std::uint32_t b);

}  // namespace warpsim::sim::matrix
