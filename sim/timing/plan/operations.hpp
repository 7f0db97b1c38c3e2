// Groups of operations that the passes treat alike.
#pragma once

#include "frontend/ir/module.hpp"
#include "frontend/ir/registers.hpp"
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
/// A fence that waits for no more than what the CTA sees. The asynchronous proxy sees that, too (GH2).
inline bool is_of_cta(ir::Form const& form) {
    bool const is_of_proxy = form.operation == Operation::fence_proxy && form.has(isa::Modifier::async) &&
                             !form.has(isa::Modifier::global);
    return form.scope == isa::Scope::cta || form.has(isa::Modifier::cta) || is_of_proxy;
}
/// A barrier of the CTA that lanes may come to one after the other: it is not written that all come together.
inline bool is_barrier_of_any(ir::Form const& form) {
    bool const waits = is_one_of(form.operation, Operation::barrier, Operation::barrier_red);
    return waits && !form.has(isa::Modifier::aligned);
}
/// Asks whether a phase is over.
inline bool waits_at_mbarrier(Operation operation) {
    return is_one_of(operation, Operation::mbarrier_try_wait, Operation::mbarrier_try_wait_parity,
                     Operation::mbarrier_test_wait, Operation::mbarrier_test_wait_parity);
}
inline bool is_plain_add(ir::Form const& f) {
    return f.operation == Operation::add && !isa::is_float(f.types[0]) && !f.sat && !f.has(isa::Modifier::cc);
}
/// Sums and products of floats.
inline bool is_float_sum(ir::Form const& f) {
    return is_one_of(f.operation, Operation::add, Operation::sub, Operation::mul, Operation::fma) &&
           isa::is_float(f.types[0]);
}
inline bool is_logic(ir::Form const& f) {
    return is_one_of(f.operation, Operation::and_, Operation::or_, Operation::xor_, Operation::not_) &&
           f.types[0] != isa::Type::pred;
}
inline bool is_shift_right(ir::Form const& f) { return f.operation == Operation::shr; }
/// Of integers, without a carry.
inline bool is_sum(ir::Form const& f) {
    return is_one_of(f.operation, Operation::add, Operation::sub) && !isa::is_float(f.types[0]) &&
           !f.has(isa::Modifier::cc);
}
constexpr bool is_conversion(Operation o) { return is_one_of(o, Operation::cvt, Operation::cvt_pack); }

/// Tells another value each time that it is read.
constexpr bool is_clock(ir::SpecialRegister which) {
    using S = ir::SpecialRegister;
    return which == S::clock || which == S::clock64 || which == S::clock_hi || which == S::pm ||
           which == S::pm64 || which == S::globaltimer || which == S::globaltimer_lo || which == S::globaltimer_hi;
}

}  // namespace warpsim::timing
