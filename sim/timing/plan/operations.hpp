// Groups of operations that passes of a compiler treat alike.
#pragma once

#include "frontend/isa/operation.hpp"

namespace warpsim::timing {

using isa::Operation;

template <class... Others> constexpr bool is_one_of(Operation operation, Others... others) {
    return ((operation == others) || ...);
}

/// Of whichever half of the product.
constexpr bool is_multiplication(Operation o) {
    return is_one_of(o, Operation::mul, Operation::mul_lo, Operation::mul_hi, Operation::mul_wide);
}
constexpr bool is_multiply_add(Operation o) {
    return is_one_of(o, Operation::mad, Operation::mad_lo, Operation::mad_hi, Operation::mad_wide);
}
constexpr bool is_conversion(Operation o) { return is_one_of(o, Operation::cvt, Operation::cvt_pack); }

/// Fragments of matrices in the registers of a warp.
constexpr bool is_warp_matrix(Operation o) {
    return is_one_of(o, Operation::mma, Operation::wmma_load_a, Operation::wmma_load_b, Operation::wmma_load_c,
                     Operation::wmma_mma, Operation::wmma_store_d);
}
constexpr bool is_warp_group_matrix(Operation o) {
    return is_one_of(o, Operation::wgmma_mma_async, Operation::wgmma_fence, Operation::wgmma_commit_group,
                     Operation::wgmma_wait_group);
}
constexpr bool is_tensor_memory(Operation o) {
    return is_one_of(o, Operation::tcgen05_alloc, Operation::tcgen05_commit, Operation::tcgen05_cp,
                     Operation::tcgen05_dealloc, Operation::tcgen05_fence_after_thread_sync,
                     Operation::tcgen05_fence_before_thread_sync, Operation::tcgen05_ld, Operation::tcgen05_ld_red,
                     Operation::tcgen05_mma, Operation::tcgen05_mma_ws, Operation::tcgen05_relinquish_alloc_permit,
                     Operation::tcgen05_shift, Operation::tcgen05_st, Operation::tcgen05_wait_ld,
                     Operation::tcgen05_wait_st);
}
constexpr bool is_multicast_memory(Operation o) {
    return is_one_of(o, Operation::multimem_ld_reduce, Operation::multimem_red, Operation::multimem_st);
}

}  // namespace warpsim::timing
