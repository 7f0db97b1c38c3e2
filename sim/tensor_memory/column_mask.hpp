// Columns of b that count as zero in tcgen05.mma.ws, and by how many b is shifted: PTX ISA, "Zero-Column Mask Descriptor".
#pragma once

#include "sim/tensor_memory/instruction_descriptor.hpp"

#include <cstdint>
#include <string>

namespace warpsim::sim::tensor_memory {

class ColumnMask {
public:
    ColumnMask() = default;
    /// Sets `wrong` to what is wrong with the bits, if anything.
    ColumnMask(std::uint64_t bits, Instruction const& i, std::string& wrong);

    bool is_zero(std::uint32_t column) const;
    std::uint32_t shift() const { return shift_; }

private:
    std::uint64_t bits_ = 0;
    std::uint32_t part_columns_ = 256;
    std::uint32_t shift_ = 0;
};

}  // namespace warpsim::sim::tensor_memory
