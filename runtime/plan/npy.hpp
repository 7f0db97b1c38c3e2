// NumPy's .npy files, format versions 1 to 3: little-endian arrays of numbers in C order.
#pragma once

#include "frontend/isa/types.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::plan {

/// What the header of a .npy file says.
struct NpyHeader {
    std::string dtype;  // "<f4"
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;
    std::uint64_t count = 1;        // elements: the product of `shape`
    std::uint64_t data_offset = 0;  // bytes
    std::uint64_t element_bytes = 0;
};

/// Reads the header of a file that begins with `start` and is `file_bytes` long; checks that the data has exactly
/// the promised length. Throws Error(plan) without a file name.
NpyHeader read_npy_header(std::span<std::byte const> start, std::uint64_t file_bytes);

/// The dtype that holds a `type`: "<f4". NumPy does not know bf16, so its bits are stored as "<u2".
std::string_view npy_dtype(isa::Type type);

/// The bytes that precede the data in a .npy file: one dimension of `count` elements.
std::string npy_header_bytes(isa::Type type, std::uint64_t count);

}  // namespace warpsim::plan
