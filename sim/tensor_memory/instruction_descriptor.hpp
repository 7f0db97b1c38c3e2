// What tcgen05.mma multiplies, as its modifiers and the 32 bits of its instruction descriptor say: PTX ISA, "Instruction
// descriptor" and "Matrix Shape".
#pragma once

#include "frontend/isa/types.hpp"
#include "sim/matrix/descriptor.hpp"

#include <cstdint>
#include <string>

namespace warpsim::sim::tensor_memory {

enum class Kind : std::uint8_t { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };

constexpr bool has_scales(Kind kind) { return kind >= Kind::mxf8f6f4; }
/// Two elements of 4 bits in a byte.
constexpr bool is_packed(Kind kind) { return kind >= Kind::mxf4; }

/// What the modifiers say.
struct Variation {
    Kind kind = Kind::f16;
    bool is_sparse = false;
    bool is_weight_stationary = false;  // .ws
    bool of_pair = false;               // .cta_group::2
    std::uint32_t scales = 0;  // of a row of a: 1, 2 or 4; 0: of mxf8f6f4 1, of the others 2; 3 or 6 if long
    bool may_be_long = false;  // K = 96 of packed elements, for sm_103a
};

struct Shape {
    std::uint32_t m = 0, n = 0, k = 0;
};

struct Instruction {
    Variation variation;
    Shape shape;
    isa::Type a = isa::Type::f16, b = isa::Type::f16;
    bool result_is_f16 = false, saturates = false;
    bool negates_a = false, negates_b = false;
    matrix::Major a_major = matrix::Major::k, b_major = matrix::Major::k;
    std::uint32_t selector = 0;              // of the metadata's columns
    std::uint32_t max_shift = 0;             // of columns of b
    std::uint32_t scale_a = 0, scale_b = 0;  // the first bytes of the words of scales
    bool scales_are_e4m3 = false;

    /// Rows of a in one CTA.
    std::uint32_t rows() const { return variation.of_pair ? shape.m / 2 : shape.m; }
    /// Columns of b in the shared memory of one CTA.
    std::uint32_t columns_of_b() const { return variation.of_pair ? shape.n / 2 : shape.n; }
    /// Of a row of a, as it is stored.
    std::uint32_t words() const { return shape.k == long_k ? 12 : 8; }
    /// Of packed elements: three chunks of 16 bytes.
    static constexpr std::uint32_t long_k = 96;
};

/// Sets `wrong` to what is wrong with the bits, if anything.
Instruction instruction_of(Variation const& variation, std::uint32_t bits, std::string& wrong);

}  // namespace warpsim::sim::tensor_memory
