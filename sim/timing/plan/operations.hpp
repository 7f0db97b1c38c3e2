// Groups of operations that the passes treat alike.
#pragma once

#include "frontend/isa/operation.hpp"

namespace warpsim::timing {

using isa::Operation;

template <class... Others> constexpr bool is_one_of(Operation operation, Others... others) {
    return ((operation == others) || ...);
}

/// Of the low or the high half of the product.
constexpr bool is_multiplication(Operation o) {
    return is_one_of(o, Operation::mul, Operation::mul_lo, Operation::mul_hi, Operation::mul_wide);
}
constexpr bool is_conversion(Operation o) { return is_one_of(o, Operation::cvt, Operation::cvt_pack); }

}  // namespace warpsim::timing
