// Matrices in shared memory as 64 bits describe them: PTX ISA, "Matrix Descriptor Format" and "Asynchronous Warpgroup
// Level Matrix Shared Memory Layout". All units are chunks of 16 bytes, which every layout keeps together.
#pragma once

#include <cstdint>

namespace warpsim::sim::matrix {

inline constexpr std::uint32_t chunk_bytes = 16;

struct Descriptor {
    std::uint32_t start = 0;           // bytes, in the CTA's shared memory
    std::uint32_t leading = 0;         // bytes
    std::uint32_t stride = 0;          // bytes
    std::uint32_t base_offset = 0;     // of the swizzle's pattern, in lines of 128 bytes
    std::uint32_t swizzle_chunks = 1;  // of a row of the pattern: 1 (no swizzle), 2, 4 or 8
    bool operator==(Descriptor const&) const = default;
};

Descriptor descriptor_of(std::uint64_t bits);

/// Which direction of a matrix is contiguous: that of k, or that of its rows (of b: of its columns).
enum class Major : std::uint8_t { k, mn };

/// Where chunk number `chunk` of line number `line` is, in bytes. Where k is contiguous a line is a row of a or a column of b
/// and its chunks follow k; else a line is one k and its chunks are every eight rows or columns.
std::uint32_t chunk_address(Descriptor const& descriptor, Major major, std::uint32_t line, std::uint32_t chunk);

}  // namespace warpsim::sim::matrix
