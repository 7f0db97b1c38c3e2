// Where the texels of a CUDA array lie in device memory: in tiles of 64 bytes times 8 rows, so that texels that are near in
// two dimensions share lines of the cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpsim::sim::texture {

inline constexpr std::uint32_t tile_width = 64;  // bytes
inline constexpr std::uint32_t tile_rows = 8;
inline constexpr std::uint32_t tile_bytes = tile_width * tile_rows;
inline constexpr std::uint32_t most_levels = 18;

/// In texels. A dimension that there is not is 1.
struct Extent {
    std::uint32_t width = 1, height = 1, depth = 1;

    bool operator==(Extent const&) const = default;
};

/// Of one level of an array.
struct LevelLayout {
    std::uint64_t offset = 0;       // bytes from the beginning of the array
    std::uint64_t slice_bytes = 0;  // from one slice to the next
    std::uint64_t row_bytes = 0;    // of a row of tiles
    Extent extent{};

    bool operator==(LevelLayout const&) const = default;
};

struct ArrayShape {
    std::uint32_t texel_bytes = 1;  // 1, 2, 4, 8 or 16
    Extent extent{};                // of the first level
    std::uint32_t slices = 1;       // layers, faces of cubes, or faces of layers of cubes; with these, depth is 1
    std::uint32_t levels = 1;
    std::uint32_t samples = 1;  // of a texel; they lie side by side, as if the array was so many times as wide
    bool is_line = false;       // has no second dimension: its rows lie as they are
};

/// Slices (of the depth, or the array's layers and faces) follow one another, and levels do.
class ArrayLayout {
public:
    ArrayLayout() = default;
    explicit ArrayLayout(ArrayShape const& shape);

    ArrayShape const& shape() const { return shape_; }
    std::uint64_t bytes() const { return bytes_; }
    LevelLayout const& level(std::uint32_t index) const { return levels_[index]; }
    /// Slices of a level: its depth, or the array's slices.
    std::uint32_t slices(std::uint32_t index) const {
        return shape_.slices > 1 ? shape_.slices : levels_[index].extent.depth;
    }
    /// Bytes in a row of a level.
    std::uint64_t width_bytes(std::uint32_t index) const {
        return std::uint64_t{levels_[index].extent.width} * shape_.samples * shape_.texel_bytes;
    }

    /// Of the byte `x` of row y of a slice.
    std::uint64_t offset(std::uint64_t x, std::uint64_t y, std::uint64_t slice, std::uint32_t index = 0) const {
        LevelLayout const& l = levels_[index];
        std::uint64_t const at = l.offset + slice * l.slice_bytes;
        if (shape_.is_line) return at + x;
        return at + y / tile_rows * l.row_bytes + x / tile_width * tile_bytes + y % tile_rows * tile_width +
               x % tile_width;
    }

private:
    ArrayShape shape_{};
    std::uint64_t bytes_ = 0;
    std::array<LevelLayout, most_levels> levels_{};
};

/// The levels of a whole pyramid down to one texel.
std::uint32_t whole_pyramid(Extent const& extent);

/// A box of a level: x and width are bytes, y and height rows, z and depth slices.
struct ArrayBox {
    std::uint32_t level = 0;
    std::uint64_t x = 0, y = 0, z = 0;
    std::uint64_t width = 0, height = 1, depth = 1;
};
/// Bytes between rows, and between slices, of memory that lies row by row.
struct Pitch {
    std::uint64_t row = 0, slice = 0;
};

/// All of these expect a box that lies inside of its level.
void copy_to_array(std::byte* array, ArrayLayout const& layout, ArrayBox const& box, std::byte const* from,
                   Pitch pitch);
void copy_from_array(std::byte* to, Pitch pitch, std::byte const* array, ArrayLayout const& layout,
                     ArrayBox const& box);
/// Takes the size from `to_box`. The arrays may be the same one when the boxes do not overlap.
void copy_between_arrays(std::byte* to, ArrayLayout const& to_layout, ArrayBox const& to_box,
                         std::byte const* from, ArrayLayout const& from_layout, ArrayBox const& from_box);

/// Calls `piece(offset in the array, offset in the row, bytes)` for each contiguous piece of the bytes [x, x + width) of a
/// row, in order.
template <class F>
void for_each_piece(ArrayLayout const& layout, std::uint32_t level, std::uint64_t x, std::uint64_t y,
                    std::uint64_t slice, std::uint64_t width, F&& piece) {
    if (layout.shape().is_line) {
        if (width != 0) piece(layout.offset(x, y, slice, level), std::uint64_t{0}, width);
        return;
    }
    for (std::uint64_t done = 0; done < width;) {
        std::uint64_t const rest = tile_width - (x + done) % tile_width;
        std::uint64_t const bytes = rest < width - done ? rest : width - done;
        piece(layout.offset(x + done, y, slice, level), done, bytes);
        done += bytes;
    }
}

}  // namespace warpsim::sim::texture
