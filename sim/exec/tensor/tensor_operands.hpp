// Operands of the matrix unit while it works: cells of tensor memory and chunks of shared memory of one CTA. What is out of
// bounds is a fault of the thread that issued the work.
#pragma once

#include "sim/exec/tensor/matrix_work.hpp"
#include "sim/exec/tensor/tensor_memory_access.hpp"
#include "sim/tensor_memory/shared_matrix.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim {

class TensorOperands {
public:
    TensorOperands(Execution const& execution, MatrixWork const& work, Cta& cta)
        : execution_(execution),
          work_(work),
          cta_(cta),
          is_watched_(execution.sinks.want(EventKind::matrix_work)) {}
    /// Tells sinks of what was used.
    ~TensorOperands();
    TensorOperands(TensorOperands const&) = delete;
    TensorOperands& operator=(TensorOperands const&) = delete;

    [[noreturn]] void refuse(FaultKind kind, std::string what) const;
    /// Columns from the address on, which are allocated, and lanes, which there are.
    tensor_memory::TensorMemory& columns(std::string_view what, std::uint32_t address, std::uint32_t count,
                                         std::uint32_t lanes, bool are_written = false) const;
    /// Four words, of a matrix in shared memory.
    void chunk(std::string_view what, tensor_memory::SharedMatrix const& m, matrix::Major major,
               std::uint32_t line, std::uint32_t number, std::uint32_t* words) const;

private:
    Execution const& execution_;
    MatrixWork const& work_;
    Cta& cta_;
    bool is_watched_;
    mutable std::vector<std::uint64_t> chunks_;
    mutable std::vector<TensorCellRange> cells_;
};

}  // namespace warpsim::sim
