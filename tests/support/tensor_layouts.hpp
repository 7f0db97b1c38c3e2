// Where the elements of matrices of tcgen05.mma are in shared memory, by the manual's formulas.
#pragma once

#include <cstdint>

namespace warpsim::test {

/// A canonical layout, for elements of so many bytes: PTX ISA, "Canonical Layouts", in units of 16 bytes of elements.
struct SharedLayout {
    bool is_across_k = false;
    std::uint32_t swizzle = 0;  // bytes; 129 stands for 128 bytes in units of 32
    std::uint32_t start = 0, leading = 0, stride = 0;

    std::uint32_t byte(std::uint32_t row, std::uint32_t k, std::uint32_t size) const {
        std::uint32_t const t = 16 / size, width = swizzle == 0 ? 1 : swizzle / 32 * 2;  // chunks of a line
        std::uint32_t const along = is_across_k ? row : k, across = is_across_k ? k : row;
        std::uint32_t const chunk = along / t, lines = swizzle == 129 ? 4 : 8;
        // Without a swizzle the offsets change places where k is not contiguous.
        std::uint32_t const next_chunks = is_across_k && swizzle == 0 ? stride : leading;
        std::uint32_t const next_lines = is_across_k && swizzle == 0 ? leading : stride;
        std::uint32_t const at = start + along % t * size + chunk % width * 16 + chunk / width * next_chunks +
                                 across % lines * width * 16 + across / lines * next_lines;
        if (swizzle == 129) return at ^ (at >> 2 & 0x60);
        return at ^ (at >> 3 & (swizzle == 0 ? 0 : swizzle - 16));
    }
    std::uint64_t descriptor() const {
        std::uint64_t const mode = swizzle == 128   ? 2
                                   : swizzle == 129 ? 1
                                   : swizzle == 64  ? 4
                                   : swizzle == 32  ? 6
                                                    : 0;
        return start / 16 | std::uint64_t{leading / 16} << 16 | std::uint64_t{stride / 16} << 32 |
               std::uint64_t{1} << 46 | mode << 61;
    }
};

/// Without gaps, for so many rows and bytes of k.
inline SharedLayout layout_of(bool is_across_k, std::uint32_t swizzle, std::uint32_t rows, std::uint32_t k,
                              std::uint32_t size) {
    SharedLayout l{is_across_k, swizzle, 0, 0, 0};
    std::uint32_t const width = swizzle == 0 ? 16 : swizzle / 32 * 32;
    if (!is_across_k) {
        l.stride = 8 * width;
        l.leading = rows / 8 * 8 * width;
    } else if (swizzle == 0) {
        l.stride = 128;                               // to the next chunk of rows
        l.leading = 128 * ((rows * size + 15) / 16);  // to the next eight of k
    } else {
        std::uint32_t const lines = swizzle == 129 ? 4 : 8;
        l.stride = lines * width;               // to the next lines of k
        l.leading = k / lines * lines * width;  // to the next rows
    }
    return l;
}

}  // namespace warpsim::test
