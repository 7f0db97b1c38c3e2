// How the matrix units of a GPU add products: what the PTX ISA leaves open and configurations say.
#pragma once

#include <cstdint>

namespace warpsim::sim::matrix {

/// How the terms of a group become one number.
enum class Sum : std::uint8_t {
    aligned,  // terms are cut where the largest one has its last bit, and added exactly
    exact,    // the exact sum of all products and the addend, rounded once to nearest even
};

/// One block fused multiply-add after the other: the products of an element are taken in groups, in the order of k,
/// and the result of a group is the addend of the next.
struct Accumulator {
    Sum sum = Sum::aligned;
    int group = 16;        // products that are added at once
    int extra_bits = 2;    // kept of each term behind the 23 fraction bits of the largest; may be negative
    int floor_f32 = -133;  // terms are aligned to this exponent at least, for results of f32
    int floor_f16 = -21;   // ... and of f16
    /// Results of f32 are rounded to nearest even instead of toward zero. Those of f16 always are.
    bool rounds_to_nearest = false;

    bool operator==(Accumulator const&) const = default;
};

}  // namespace warpsim::sim::matrix
