// Copying and setting bytes, in up to three dimensions.
#pragma once

#include "runtime/cuda/memory/box.hpp"
#include "runtime/cuda/process/process.hpp"

namespace warpsim::cuda {

enum class Direction : int {
    host_to_host = 0,
    host_to_device = 1,
    device_to_host = 2,
    device_to_device = 3,
    by_address = 4
};

struct CopyWork {
    Box to, from;
    Extent extent;
    Direction direction = Direction::by_address;
    /// The CUDA_MEMCPY3D by which the driver interface was told of it, for programs that ask; null otherwise.
    std::shared_ptr<void const> description = nullptr;
};

/// In the stream's order. Returns when the bytes have arrived; with `asynchronous` it returns as soon as the
/// source may be changed if that is memory which the program did not get from CUDA, and at once otherwise. Throws
/// Failure(invalid_value) for a range that is not where the direction says, invalid_pitch for rows that overlap.
void copy(Process& process, CopyWork const& work, Stream& stream, bool asynchronous);
inline void copy(Process& process, Box const& to, Box const& from, Extent const& extent, Direction direction,
                 Stream& stream, bool asynchronous) {
    copy(process, {to, from, extent, direction}, stream, asynchronous);
}
inline void copy(Process& process, void* to, void const* from, std::uint64_t bytes, Direction direction,
                 Stream& stream, bool asynchronous) {
    copy(process, {reinterpret_cast<std::uint64_t>(to), bytes, bytes},
         {reinterpret_cast<std::uint64_t>(from), bytes, bytes}, {bytes, 1, 1}, direction, stream, asynchronous);
}

/// A place in an array from which bytes are counted row after row, as functions of before CUDA 10 do.
struct ArrayLine {
    std::shared_ptr<Array> array;
    std::uint64_t x = 0, y = 0;  // bytes, rows
};
/// The same for such bytes. Throw Failure(invalid_value) when they are more than the array has from there on.
void copy(Process& process, ArrayLine const& to, std::uint64_t from, std::uint64_t bytes, Direction direction,
          Stream& stream, bool asynchronous);
void copy(Process& process, std::uint64_t to, ArrayLine const& from, std::uint64_t bytes, Direction direction,
          Stream& stream, bool asynchronous);
void copy(Process& process, ArrayLine const& to, ArrayLine const& from, std::uint64_t bytes, Stream& stream);

/// Between two devices. Unless it is asynchronous, it follows all work of both and precedes their later
/// work.
void copy_between(Process& process, CopyWork const& work, Gpu& to, Gpu& from, Stream& stream, bool asynchronous);

/// Sets elements of 1, 2 or 4 bytes; `extent.width` is in bytes. Unless it is asynchronous, memory that the host may use has been
/// set when it returns; other memory is set later in any case.
void fill(Process& process, Box const& to, Extent const& extent, std::uint32_t value, unsigned element_bytes,
          Stream& stream, bool asynchronous);

}  // namespace warpsim::cuda
