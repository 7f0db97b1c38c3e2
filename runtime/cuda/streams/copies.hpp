// Moving and setting bytes, in up to three dimensions.
#pragma once

#include "runtime/cuda/process/process.hpp"

namespace warpsim::cuda {

enum class Direction : int {
    host_to_host = 0,
    host_to_device = 1,
    device_to_host = 2,
    device_to_device = 3,
    by_address = 4
};

/// A place in an array, as the program named it: x in elements.
struct ArrayPlace {
    void* array = nullptr;  // its handle; null: plain memory
    std::uint64_t x = 0, y = 0, z = 0;
    std::uint64_t element_bytes = 1;
};

/// A box of rows: `width` bytes each, `height` rows a slice, `depth` slices. Distances from row to row and from
/// slice to slice are in bytes.
struct Box {
    std::uint64_t address = 0;
    std::uint64_t row_distance = 0;
    std::uint64_t slice_distance = 0;
    ArrayPlace place = {};
};
struct Extent {
    std::uint64_t width = 0, height = 1, depth = 1;

    bool is_empty() const { return width == 0 || height == 0 || depth == 0; }
    /// From the first byte of a box to behind its last.
    std::uint64_t span(Box const& box) const {
        return (depth - 1) * box.slice_distance + (height - 1) * box.row_distance + width;
    }
};

struct CopyWork {
    Box to, from;
    Extent extent;
    Direction direction = Direction::by_address;
};

/// In the stream's order; returns when the bytes are there, or with `asynchronous` as soon as the source may be
/// changed if it is memory that the program did not get from CUDA, at once otherwise. Throws
/// Failure(invalid_value) for a range that is not where the direction says, invalid_pitch for rows that overlap.
void copy(CopyWork const& work, Stream& stream, bool asynchronous);
inline void copy(Box const& to, Box const& from, Extent const& extent, Direction direction, Stream& stream,
                 bool asynchronous) {
    copy({to, from, extent, direction}, stream, asynchronous);
}
inline void copy(void* to, void const* from, std::uint64_t bytes, Direction direction, Stream& stream,
                 bool asynchronous) {
    copy({reinterpret_cast<std::uint64_t>(to), bytes, bytes},
         {reinterpret_cast<std::uint64_t>(from), bytes, bytes}, {bytes, 1, 1}, direction, stream, asynchronous);
}

/// Between two devices. Unless it is asynchronous it comes behind all work of both, and before what they are given
/// later.
void copy_between(CopyWork const& work, Gpu& to, Gpu& from, Stream& stream, bool asynchronous);

/// At once, without a stream and unchecked.
void move(Box const& to, Box const& from, Extent const& extent);
void set(Box const& to, Extent const& extent, std::uint32_t value, unsigned element_bytes);

/// Sets elements of 1, 2 or 4 bytes; `extent.width` is in bytes. Submitted only.
void fill(Box const& to, Extent const& extent, std::uint32_t value, unsigned element_bytes, Stream& stream);

}  // namespace warpsim::cuda
