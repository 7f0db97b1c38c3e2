// Bytes in up to three dimensions.
#pragma once

#include "runtime/cuda/devices/gpu.hpp"
#include "sim/texture/array_layout.hpp"

#include <cstdint>
#include <memory>

namespace warpsim::cuda {

struct Box;

struct Extent {
    std::uint64_t width = 0, height = 1, depth = 1;

    bool is_empty() const { return width == 0 || height == 0 || depth == 0; }
    /// From the first byte of a box in plain memory to the end of its last.
    std::uint64_t span(Box const& box) const;
};

/// A position in an array, as the program named it: x in elements.
struct ArrayPlace {
    void* array = nullptr;  // its handle; null: plain memory
    std::uint64_t x = 0, y = 0, z = 0;
    std::uint64_t element_bytes = 1;
    std::shared_ptr<sim::texture::ArrayLayout const> layout = nullptr;
    std::uint32_t level = 0;
    std::uint64_t memory_id = 0;  // of the range of memory that the array is

    sim::texture::ArrayBox box(Extent const& extent) const {
        return {level, x * element_bytes, y, z, extent.width, extent.height, extent.depth};
    }
};

/// A box of rows: `width` bytes per row, `height` rows per slice, `depth` slices. Distances between rows and
/// between slices are in bytes. Where it is in an array its place says, and its address is the array's.
struct Box {
    std::uint64_t address = 0;
    std::uint64_t row_distance = 0;
    std::uint64_t slice_distance = 0;
    ArrayPlace place = {};

    bool is_in_array() const { return place.array != nullptr; }
};

inline std::uint64_t Extent::span(Box const& box) const {
    return (depth - 1) * box.slice_distance + (height - 1) * box.row_distance + width;
}

/// Whose memory a copy writes and reads: that of its stream's device, which memory of the host counts for, or another's.
struct CopyDevices {
    runtime::Device const& to;
    runtime::Device const& from;
};

/// Move and set bytes at once: outside of any stream, and unchecked. Elements have 1, 2 or 4 bytes. Who listens to
/// the devices hears of each row, or of all of them where they follow on each other.
void move(CopyDevices const& devices, Box const& to, Box const& from, Extent const& extent);
void set(runtime::Device const& device, Box const& to, Extent const& extent, std::uint32_t value,
         unsigned element_bytes);

}  // namespace warpsim::cuda
