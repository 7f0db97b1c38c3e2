// Matrices in shared memory in the canonical layouts of PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout".
#pragma once

#include "sim/matrix/descriptor.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::test {

/// One of the layouts, for so many rows (of a; columns of b) and bytes of k in each.
struct Canonical {
    sim::matrix::Major major = sim::matrix::Major::k;
    std::uint32_t swizzle = 0;  // bytes: 0, 32, 64 or 128
    std::uint32_t start = 0, leading = 0, stride = 0;

    /// Where the byte of k is; across k only elements of two bytes have a layout.
    std::uint32_t byte(std::uint32_t row, std::uint32_t k) const {
        std::uint32_t at = start;
        if (major == sim::matrix::Major::k) {
            std::uint32_t const width = swizzle == 0 ? 16 : swizzle;
            at += row % 8 * width + row / 8 * stride + k % width + k / width * leading;
        } else if (swizzle == 0) {
            at += row % 8 * 2 + row / 8 * stride + k / 2 % 8 * 16 + k / 16 * leading + k % 2;
        } else {
            std::uint32_t const rows = swizzle / 2;
            at += row % rows * 2 + row / rows * leading + k / 2 % 8 * swizzle + k / 16 * stride + k % 2;
        }
        std::uint32_t const mask = swizzle == 0 ? 0 : swizzle - 16;
        return at ^ (at >> 3 & mask);
    }

    std::uint64_t descriptor() const {
        std::uint64_t const mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
        return start / 16 | std::uint64_t{leading / 16} << 16 | std::uint64_t{stride / 16} << 32 | mode << 62;
    }

    std::string name() const {
        return std::string(major == sim::matrix::Major::k ? "K" : "MN") + "-major, swizzle " +
               std::to_string(swizzle) + ", from " + std::to_string(start);
    }
};

/// All of them without overlaps, and one that begins inside of a swizzle's pattern, as loops over k have it.
inline std::vector<Canonical> canonical_layouts(std::uint32_t rows, std::uint32_t bytes_of_k) {
    using sim::matrix::Major;
    std::uint32_t const groups = rows / 8, groups_of_k = bytes_of_k / 16;
    std::vector<Canonical> all;
    for (std::uint32_t const swizzle : {0u, 32u, 64u, 128u}) {
        if (swizzle == 0) {
            all.push_back({Major::k, 0, 0, 128, 128 * bytes_of_k / 16});
            all.push_back({Major::mn, 0, 0, 128, 128 * groups_of_k});
            continue;
        }
        all.push_back({Major::k, swizzle, 0, 8 * swizzle * groups, 8 * swizzle});
        all.push_back({Major::mn, swizzle, 0, 8 * swizzle * groups_of_k, 8 * swizzle});
    }
    all.push_back({Major::k, 128, 32, 0, 1024});
    return all;
}

}  // namespace warpsim::test
