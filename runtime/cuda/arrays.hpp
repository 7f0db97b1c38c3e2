// CUDA arrays: memory whose layout is the device's affair, and the texture and surface objects that say how kernels would
// look at it.
#pragma once

#include "runtime/cuda/copies.hpp"
#include "runtime/cuda/handles.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpsim::cuda {

enum class ChannelKind : int { signed_integer = 0, unsigned_integer = 1, floating = 2, none = 3 };

/// Up to four channels of as many bits each.
struct ChannelFormat {
    std::array<int, 4> bits{};
    ChannelKind kind = ChannelKind::none;

    std::uint64_t bytes() const { return static_cast<std::uint64_t>(bits[0] + bits[1] + bits[2] + bits[3]) / 8; }
    /// 1, 2 or 4 channels, alike, of 8, 16 or 32 bits; floating ones of 16 or 32.
    bool is_valid() const;
    bool operator==(ChannelFormat const&) const = default;
};

struct ArrayShape {
    ChannelFormat format{};
    std::uint64_t width = 0, height = 0, depth = 0;   // elements; 0: no such dimension
    unsigned flags = 0;                               // cudaArrayLayered 1, SurfaceLoadStore 2, Cubemap 4, TextureGather 8

    std::uint64_t rows() const { return height == 0 ? 1 : height; }
    std::uint64_t slices() const { return depth == 0 ? 1 : depth; }
};

/// Lives in device memory, row by row; freed with the object.
class Array {
public:
    /// Throws Failure(invalid_channel_descriptor), Failure(invalid_value), Failure(out_of_memory).
    Array(Process& process, int device, ArrayShape const& shape);
    ~Array();
    Array(Array const&) = delete;
    Array& operator=(Array const&) = delete;

    ArrayShape const shape;
    int const device;

    /// The box that begins `x` bytes into row y of slice z. Throws Failure(invalid_value) when `extent`, in bytes, rows and
    /// slices, does not fit from there.
    Box box(std::uint64_t x, std::uint64_t y, std::uint64_t z, Extent const& extent) const;

private:
    Process& process_;
    std::uint64_t address_ = 0;
    std::uint64_t row_bytes_ = 0;
};

/// An array and its halves, quarters, ...
struct MipmappedArray {
    MipmappedArray(Process& process, int device, ArrayShape const& shape, unsigned levels);
    std::vector<std::shared_ptr<Array>> levels;
    std::vector<void*> handles;                       // of the levels, as far as they were asked for
};

/// What a texture or surface object was made of, as the program's interface lays it out.
struct View {
    std::vector<std::byte> resource, texture, resource_view;
    std::shared_ptr<void> keeps;                      // the array that it looks at
};

/// The arrays and objects of a process.
struct Arrays {
    Handles<Array> arrays{21};
    Handles<MipmappedArray> mipmapped{22};
    Handles<View> textures{23}, surfaces{24};

    static Arrays& get();
};

}  // namespace warpsim::cuda
