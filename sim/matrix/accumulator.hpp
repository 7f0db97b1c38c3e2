// How the matrix units of a GPU add products: what the PTX ISA leaves open and configurations say (sm.matrix).
#pragma once

#include "sim/config/config.hpp"

namespace warpsim::sim::matrix {

/// How the terms of a group become one number: cut where the largest one has its last bit, and added exactly; or the
/// exact sum of all products and the addend, rounded once to nearest even; or, of 8-bit floats, two products of f16.
using Sum = MatrixSum;

/// One block fused multiply-add after the other: the products of an element are taken in groups, in the order of k,
/// and the result of a group is the addend of the next.
using Accumulator = AccumulatorConfig;

}  // namespace warpsim::sim::matrix
