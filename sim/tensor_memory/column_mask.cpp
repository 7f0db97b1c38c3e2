#include "sim/tensor_memory/column_mask.hpp"

namespace warpsim::sim::tensor_memory {

ColumnMask::ColumnMask(std::uint64_t bits, Instruction const& i, std::string& wrong)
    : bits_(bits),
      part_columns_(i.shape.n * i.shape.m / 128),
      shift_(static_cast<std::uint32_t>(bits >> 56 & 63)) {
    if ((bits >> 36 & 7) != 0) wrong = "bits 36 to 38 are reserved: they must be 0";
    else if (shift_ > (i.shape.m == 32 ? 16u : 32u))
        wrong = "bits 56 to 61, the shift, are " + std::to_string(shift_) + "; M = " + std::to_string(i.shape.m) +
                " has shifts up to " + (i.shape.m == 32 ? "16" : "32");
    else if (shift_ > i.max_shift)
        wrong = "bits 56 to 61, the shift, are " + std::to_string(shift_) +
                ", more than the largest shift of the instruction descriptor, " + std::to_string(i.max_shift);
}

bool ColumnMask::is_zero(std::uint32_t column) const {
    bool const is_generated = (bits_ >> 39 & 1) != 0;
    if (!is_generated) return false;
    std::uint32_t const part = column / part_columns_;
    auto const start = static_cast<std::uint32_t>(bits_ >> (8 * part) & 0xff);
    bool const begins_with_zeros = (bits_ >> (32 + part) & 1) != 0;
    // The manual's examples have the skip span for the columns of zeros.
    std::uint32_t const zeros = static_cast<std::uint32_t>(bits_ >> 40 & 0xff) + 1;
    std::uint32_t const used = static_cast<std::uint32_t>(bits_ >> 48 & 0xff) + 1;
    std::uint32_t const first = begins_with_zeros ? zeros : used;
    bool const is_in_first = (column % part_columns_ + start) % (zeros + used) < first;
    return is_in_first == begins_with_zeros;
}

}  // namespace warpsim::sim::tensor_memory
