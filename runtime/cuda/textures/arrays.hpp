// CUDA arrays: memory whose layout is up to the device.
#pragma once

#include "runtime/cuda/core/handles.hpp"
#include "runtime/cuda/memory/box.hpp"
#include "runtime/cuda/memory/memory.hpp"
#include "sim/texture/image.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpsim::cuda {

/// The first four have the numbers of the runtime interface. Normalised integers are read as numbers in [0, 1] or [-1, 1],
/// whatever is asked of the texture.
enum class ChannelKind : int {
    signed_integer = 0,
    unsigned_integer = 1,
    floating = 2,
    none = 3,
    unsigned_normalized,
    signed_normalized,
};

/// Up to four channels of the given widths.
struct ChannelFormat {
    std::array<int, 4> bits{};
    ChannelKind kind = ChannelKind::none;

    std::uint64_t bytes() const { return static_cast<std::uint64_t>(bits[0] + bits[1] + bits[2] + bits[3]) / 8; }
    unsigned channels() const;
    bool is_integer() const {
        return kind == ChannelKind::signed_integer || kind == ChannelKind::unsigned_integer;
    }
    /// 1, 2 or 4 channels of equal width: 8, 16 or 32 bits, for floating point 16 or 32, for normalised integers 8 or
    /// 16; or three of 10 bits and one of 2.
    bool is_valid() const;
    /// Of a valid one.
    sim::texture::Format texels() const;
    bool operator==(ChannelFormat const&) const = default;
};

struct ArrayShape {
    ChannelFormat format{};
    std::uint64_t width = 0, height = 0, depth = 0;  // elements; 0: no such dimension
    unsigned flags = 0;

    static constexpr unsigned layered = 1, surface = 2, cubemap = 4, gather = 8;
    std::uint64_t rows() const { return height == 0 ? 1 : height; }
    std::uint64_t slices() const { return depth == 0 ? 1 : depth; }
    bool is_layered() const { return (flags & layered) != 0; }
    bool is_cubemap() const { return (flags & cubemap) != 0; }
    /// Whether the depth is one, and not a number of layers or faces.
    bool is_volume() const { return depth != 0 && !is_layered() && !is_cubemap(); }
    sim::texture::Geometry geometry() const;
    /// The size of a smaller version; layers and faces are not fewer there.
    ArrayShape level(unsigned number) const;
};

/// The device memory of an array with all its levels.
class ArrayMemory {
public:
    /// Throws Failure(invalid_channel_descriptor), Failure(invalid_value), Failure(not_supported) for sparse
    /// arrays and those of graphics, Failure(out_of_memory).
    ArrayMemory(Memory& memory, int owner, ArrayShape const& wanted, unsigned levels);
    ~ArrayMemory();
    ArrayMemory(ArrayMemory const&) = delete;
    ArrayMemory& operator=(ArrayMemory const&) = delete;

    ArrayShape const shape;  // of the first level
    int const device;

    /// False when it ended with its context.
    bool is_there() const;
    std::uint64_t address() const { return address_; }
    std::uint64_t memory_id() const { return memory_id_; }
    std::shared_ptr<sim::texture::ArrayLayout const> const& layout() const { return layout_; }
    /// All levels.
    sim::texture::Image image() const;

private:
    Memory& memory_;
    std::shared_ptr<sim::texture::ArrayLayout const> layout_;
    std::uint64_t address_ = 0;
    std::uint64_t memory_id_ = 0;
};

/// An array, or a level of one.
class Array {
public:
    explicit Array(std::shared_ptr<ArrayMemory const> memory);
    Array(std::shared_ptr<ArrayMemory const> memory, unsigned level);

    ArrayShape const shape;
    int const device;
    void* handle = nullptr;

    /// The box that begins `x` bytes into row y of slice z. Throws Failure(invalid_value) when `extent` (in
    /// bytes, rows and slices) does not fit there, Failure(context_is_destroyed) when the memory ended with its
    /// context.
    Box box(std::uint64_t x, std::uint64_t y, std::uint64_t z, Extent const& extent) const;
    /// The boxes of `bytes` consecutive bytes from there on, row by row: parts of rows, and all that is between them.
    struct LinePart {
        Box box;
        Extent extent;
        std::uint64_t done;  // bytes before it
    };
    std::vector<LinePart> line(std::uint64_t x, std::uint64_t y, std::uint64_t bytes) const;
    /// Whether surfaces may access it: CUDA wants a flag, but not for levels.
    bool is_for_surfaces() const { return is_level_ || (shape.flags & ArrayShape::surface) != 0; }
    std::uint64_t row_bytes() const { return shape.width * shape.format.bytes(); }
    sim::texture::Image image() const;

private:
    std::shared_ptr<ArrayMemory const> memory_;
    unsigned level_ = 0;
    bool is_level_ = false;
};

/// An array with versions of half its size, a quarter, and so on.
struct MipmappedArray {
    MipmappedArray(Memory& from, int device, ArrayShape const& shape, unsigned count);
    std::shared_ptr<ArrayMemory const> memory;
    std::vector<std::shared_ptr<Array>> levels;  // each has a handle once it was requested
};

/// The arrays of a process. Unknown handles throw Failure(invalid_handle).
class Arrays {
public:
    Arrays(HandleTable& handles, Memory& memory, Gpus const& gpus);

    void* add(Gpu const& gpu, ArrayShape const& shape);
    std::shared_ptr<Array> get(void const* array) const { return arrays_.get(array); }
    /// Waits for the device's work first.
    void destroy(void* array);
    void* add_mipmapped(Gpu const& gpu, ArrayShape const& shape, unsigned levels);
    std::shared_ptr<MipmappedArray> get_mipmapped(void const* array) const { return mipmapped_.get(array); }
    /// The handle of a level. Throws Failure(invalid_value) where there is no such level.
    void* level_of(void* mipmapped, unsigned level);
    void destroy_mipmapped(void* mipmapped);

private:
    void* name(std::shared_ptr<Array> const& array);

    Memory& memory_;
    Gpus const& gpus_;
    Handles<Array> arrays_;
    Handles<MipmappedArray> mipmapped_;
};

}  // namespace warpsim::cuda
