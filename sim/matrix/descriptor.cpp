#include "sim/matrix/descriptor.hpp"

#include <bit>

namespace warpsim::sim::matrix {

namespace {

constexpr std::uint32_t lines_of_core = 8;

/// Bits of 14 that count chunks, as bytes.
std::uint32_t bytes_at(std::uint64_t bits, int first) {
    return static_cast<std::uint32_t>(bits >> first & 0x3fff) * chunk_bytes;
}

/// A chunk's number in its row of the pattern is combined with the number of its line of 128 bytes: bits of addresses, so
/// that a matrix may begin inside of a pattern.
std::uint32_t swizzled(Descriptor const& d, std::uint32_t address) {
    std::uint32_t const line = (address >> 7) - d.base_offset;
    return address ^ (line & (d.swizzle_chunks - 1)) << 4;
}

}  // namespace

Descriptor descriptor_of(std::uint64_t bits) {
    constexpr std::uint32_t chunks[] = {1, 8, 4, 2};
    Descriptor d;
    d.start = bytes_at(bits, 0);
    d.leading = bytes_at(bits, 16);
    d.stride = bytes_at(bits, 32);
    d.base_offset = static_cast<std::uint32_t>(bits >> 49 & 7);
    d.swizzle_chunks = chunks[bits >> 62];
    return d;
}

std::uint32_t chunk_address(Descriptor const& d, Major major, std::uint32_t line, std::uint32_t chunk) {
    // Without a swizzle the two offsets change places where k is not contiguous.
    bool const is_exchanged = major == Major::mn && d.swizzle_chunks == 1;
    std::uint32_t const next_lines = is_exchanged ? d.leading : d.stride;
    std::uint32_t const next_chunks = is_exchanged ? d.stride : d.leading;
    // Their number is a power of two.
    int const log2 = std::countr_zero(d.swizzle_chunks);
    std::uint32_t const linear = (line % lines_of_core << log2) * chunk_bytes + line / lines_of_core * next_lines +
                                 (chunk & (d.swizzle_chunks - 1)) * chunk_bytes + (chunk >> log2) * next_chunks;
    return swizzled(d, d.start + linear);
}

}  // namespace warpsim::sim::matrix
