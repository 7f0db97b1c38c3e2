// An element of a product, computed one term after the other in exact integers: the definition that the fast functions of
// products.hpp are held to, and what they leave to it.
#pragma once

#include "frontend/isa/types.hpp"
#include "sim/matrix/accumulator.hpp"

#include <cstdint>
#include <span>

namespace warpsim::sim::matrix {

/// A product of floating-point matrices.
struct FloatProduct {
    isa::Type a = isa::Type::f16, b = isa::Type::f16;
    bool is_packed = false;  // e2m1 by two into a byte
    bool result_is_f16 = false;
    /// Half of the elements of a are absent: zeros in their places. A group has as many products as without.
    bool a_is_sparse = false;
    Accumulator accumulator;
    /// Factors in blocks: one for every `scale_block` elements of k; 0: there are none. They are powers of two (ue8m0), or
    /// e4m3 without a sign.
    int scale_block = 0;
    bool scales_are_e4m3 = false;
};

/// The words of 32 bits of a row of a, or of a column of b, in the order of k, and a byte for each of its scales.
struct Vector {
    std::uint32_t const* words;
    std::size_t stride = 1;
    std::uint8_t const* scales = nullptr;
    std::size_t scale_stride = 1;
};

/// d = sum a[k] b[k] + c over `words` words; c and d are bits of f32 or f16.
std::uint32_t reference(FloatProduct const& product, Vector a, Vector b, int words, std::uint32_t c);

}  // namespace warpsim::sim::matrix
