// Matrices in shared memory as the 64 bits of tcgen05 describe them: PTX ISA, "Shared memory descriptor". Where their
// chunks of 16 bytes are is what sim/matrix says of wgmma's, and one swizzle more.
#pragma once

#include "sim/matrix/descriptor.hpp"

#include <cstdint>
#include <string>

namespace warpsim::sim::tensor_memory {

struct SharedMatrix {
    matrix::Descriptor descriptor;
    /// 128 bytes of swizzle that keep 32 bytes together: rows of a pattern of four lines.
    bool keeps_32_bytes = false;
    /// The leading dimension is where a row goes on that ends in the first 128 bytes: for products of K = 96.
    bool has_next = false;
};

/// Sets `wrong` to what is wrong with the bits, if anything.
SharedMatrix shared_matrix(std::uint64_t bits, std::string& wrong);

/// As matrix::chunk_address().
std::uint32_t chunk_address(SharedMatrix const& m, matrix::Major major, std::uint32_t line, std::uint32_t chunk);

}  // namespace warpsim::sim::tensor_memory
