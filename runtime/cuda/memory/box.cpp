#include "runtime/cuda/memory/box.hpp"

#include <cstddef>
#include <cstring>

namespace warpsim::cuda {

namespace {

std::byte* bytes_at(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

}  // namespace

void move(Box const& to, Box const& from, Extent const& extent) {
    for (std::uint64_t z = 0; z < extent.depth; ++z) {
        for (std::uint64_t y = 0; y < extent.height; ++y) {
            std::memmove(bytes_at(to.address + z * to.slice_distance + y * to.row_distance),
                         bytes_at(from.address + z * from.slice_distance + y * from.row_distance), extent.width);
        }
    }
}

void set(Box const& to, Extent const& extent, std::uint32_t value, unsigned element_bytes) {
    for (std::uint64_t z = 0; z < extent.depth; ++z) {
        for (std::uint64_t y = 0; y < extent.height; ++y) {
            std::byte* const row = bytes_at(to.address + z * to.slice_distance + y * to.row_distance);
            if (element_bytes == 1) {
                std::memset(row, static_cast<int>(value & 0xff), extent.width);
                continue;
            }
            for (std::uint64_t x = 0; x + element_bytes <= extent.width; x += element_bytes) {
                std::memcpy(row + x, &value, element_bytes);
            }
        }
    }
}

}  // namespace warpsim::cuda
