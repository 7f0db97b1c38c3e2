// Rows of device memory that a copy of the host reads or writes, and the lines of L2 that they are in.
#pragma once

#include "sim/timing/memory/coalescer.hpp"

#include <algorithm>
#include <cstdint>

namespace warpsim::timing {

struct CopyArea {
    std::uint64_t address = 0, width = 0;  // of the first row
    std::uint64_t rows = 1, pitch = 0;     // from the beginning of one row to the next

    /// Simplified: as many for each row, although a row may lie so that it touches one less.
    std::uint64_t lines_per_row() const {
        if (width == 0) return 0;
        if (rows == 1) return (address % line_bytes + width + line_bytes - 1) / line_bytes;
        bool const is_aligned = (address | pitch) % line_bytes == 0;
        return (width + (is_aligned ? 1 : 2) * std::uint64_t{line_bytes - 1}) / line_bytes;
    }
    std::uint64_t lines() const { return rows * lines_per_row(); }

    struct Part {  // of a line
        std::uint64_t line;
        std::uint8_t sectors, covered;  // touched, and those of which every byte is
    };
    /// Of an area that is not empty.
    Part part(std::uint64_t i) const {
        std::uint64_t const per_row = std::max(lines_per_row(), std::uint64_t{1});
        std::uint64_t const begin = address + i / per_row * pitch, end = begin + width;
        std::uint64_t const line = std::min(begin / line_bytes + i % per_row, (end - 1) / line_bytes);
        std::uint64_t const low = std::max(begin, line * line_bytes) % line_bytes;
        std::uint64_t const high = std::min(end - line * line_bytes, std::uint64_t{line_bytes});
        return {line, sectors(low / sector_bytes, (high + sector_bytes - 1) / sector_bytes),
                sectors((low + sector_bytes - 1) / sector_bytes, high / sector_bytes)};
    }

private:
    static std::uint8_t sectors(std::uint64_t first, std::uint64_t past) {
        return first >= past ? std::uint8_t{0} : static_cast<std::uint8_t>((1u << past) - (1u << first));
    }
};

}  // namespace warpsim::timing
