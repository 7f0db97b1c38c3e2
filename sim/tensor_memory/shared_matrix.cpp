#include "sim/tensor_memory/shared_matrix.hpp"

namespace warpsim::sim::tensor_memory {

using matrix::chunk_bytes;
using matrix::Major;

SharedMatrix shared_matrix(std::uint64_t bits, std::string& wrong) {
    // The layout of the offsets is that of wgmma; version and swizzle are not.
    SharedMatrix m;
    m.descriptor = matrix::descriptor_of(bits & ~(std::uint64_t{7} << 61));
    switch (bits >> 61) {
        case 0: m.descriptor.swizzle_chunks = 1; break;
        case 1:
            m.descriptor.swizzle_chunks = 8;
            m.keeps_32_bytes = true;
            break;
        case 2: m.descriptor.swizzle_chunks = 8; break;
        case 4: m.descriptor.swizzle_chunks = 4; break;
        case 6: m.descriptor.swizzle_chunks = 2; break;
        default:
            wrong = "its bits 61 to 63 are " + std::to_string(bits >> 61) +
                    ", which is no swizzle; 0, 1, 2, 4 and 6 are";
            return m;
    }
    // The manual fixes bits 46 to 48 at 1. Triton before 3.5 left them 0, and its kernels run on hardware all the same.
    if (std::uint64_t const version = bits >> 46 & 7; version > 1)
        wrong = "its bits 46 to 48 are " + std::to_string(version) + " instead of 1, which tells tcgen05";
    m.has_next = (bits >> 52 & 1) != 0;
    if (wrong.empty() && m.has_next && (bits >> 61 != 2 || m.descriptor.base_offset != 0))
        wrong =
            "its bit 52 makes the leading dimension an address, which needs 128 bytes of swizzle (2 in bits 61 to "
            "63) and no base offset";
    return m;
}

std::uint32_t chunk_address(SharedMatrix const& m, Major major, std::uint32_t line, std::uint32_t chunk) {
    matrix::Descriptor const& d = m.descriptor;
    std::uint32_t const width = d.swizzle_chunks;
    if (m.has_next) {
        std::uint32_t const first = d.start / chunk_bytes % width;
        matrix::Descriptor part = d;
        part.leading = 0;
        part.start = first + chunk < width ? d.start : d.leading;
        std::uint32_t const in_part = first + chunk < width ? chunk : first + chunk - width;
        return matrix::chunk_address(part, major, line, in_part);
    }
    if (!m.keeps_32_bytes) return matrix::chunk_address(d, major, line, chunk);
    constexpr std::uint32_t lines_of_pattern = 4;
    std::uint32_t const linear = d.start + line % lines_of_pattern * width * chunk_bytes +
                                 line / lines_of_pattern * d.stride + chunk % width * chunk_bytes +
                                 chunk / width * d.leading;
    return linear ^ ((((linear >> 7) - d.base_offset) & 3) << 5);
}

}  // namespace warpsim::sim::tensor_memory
