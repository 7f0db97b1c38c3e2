// tcgen05.mma as the matrix unit carries it out: a product whose sum is in tensor memory.
#pragma once

#include "sim/exec/tensor/matrix_work.hpp"
#include "sim/exec/tensor/tensor_operands.hpp"
#include "sim/matrix/products.hpp"
#include "sim/tensor_memory/column_mask.hpp"
#include "sim/tensor_memory/data_path.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warpsim::sim {

/// What a thread brought: all of it is known when the instruction is executed.
struct TensorProduct {
    tensor_memory::Instruction instruction;
    matrix::ProductFunctions const* functions = nullptr;
    std::uint32_t d = 0;  // addresses of tensor memory
    bool a_is_shared = true;
    tensor_memory::SharedMatrix a_shared, b;
    std::uint32_t a = 0, metadata = 0, scale_a = 0, scale_b = 0;
    bool shifts_a = false;
    bool adds = false;                        // D is added ...
    int scale_of_d = 0;                       // ... times two to this power, negative
    std::array<std::uint32_t, 8> disabled{};  // lanes of D that stay as they are, of both CTAs
    tensor_memory::ColumnMask zeros;
};

class TensorMultiplication final : public MatrixWork {
public:
    TensorMultiplication(Issue const& by, Faults const& faults, TensorProduct const& product)
        : MatrixWork(by, faults, product.instruction.variation.of_pair), p_(product) {}

    Effort effort() const override;
    void perform(Execution const& execution, Cluster& cluster) const override;
    void carry_over(Cluster const& cluster, Cta const& to, TensorShadow& shadow) const override;

private:
    TensorProduct p_;
};

}  // namespace warpsim::sim
