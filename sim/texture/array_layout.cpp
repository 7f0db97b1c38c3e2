#include "sim/texture/array_layout.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::sim::texture {

namespace {

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::uint32_t halved(std::uint32_t size, std::uint32_t level) { return std::max(size >> level, 1u); }

/// Moves rows of a slice between an array and memory that lies row by row. `move(in the array, in the row, bytes)`.
/// Goes through whole rows of tiles one tile after the other, so that both sides stay in the cache.
template <class Move>
void for_slice(ArrayLayout const& layout, ArrayBox const& box, std::uint64_t slice, std::uint64_t row_distance,
               Move const& move) {
    if (layout.shape().is_line) {
        for (std::uint64_t y = 0; y < box.height; ++y)
            move(layout.offset(box.x, box.y + y, slice, box.level), y * row_distance, box.width);
        return;
    }
    for (std::uint64_t y = 0; y < box.height;) {
        std::uint64_t const rows = std::min(tile_rows - (box.y + y) % tile_rows, box.height - y);
        std::uint64_t const row = y * row_distance;
        for_each_piece(layout, box.level, box.x, box.y + y, slice, box.width,
                       [&](std::uint64_t at, std::uint64_t in_row, std::uint64_t bytes) {
                           if (bytes == tile_width) {  // a size that the compiler knows
                               for (std::uint64_t i = 0; i < rows; ++i)
                                   move(at + i * tile_width, row + i * row_distance + in_row,
                                        std::uint64_t{tile_width});
                           } else {
                               for (std::uint64_t i = 0; i < rows; ++i)
                                   move(at + i * tile_width, row + i * row_distance + in_row, bytes);
                           }
                       });
        y += rows;
    }
}

/// Most pieces are a row of a tile: a constant size becomes a few moves of registers.
[[gnu::always_inline]] inline void copy_piece(std::byte* to, std::byte const* from, std::uint64_t bytes) {
    if (bytes == tile_width) std::memcpy(to, from, tile_width);
    else std::memcpy(to, from, bytes);
}

}  // namespace

ArrayLayout::ArrayLayout(ArrayShape const& shape) : shape_(shape) {
    for (std::uint32_t i = 0; i < shape_.levels; ++i) {
        LevelLayout& level = levels_[i];
        Extent const& whole = shape_.extent;
        level.extent = {halved(whole.width, i), halved(whole.height, i), halved(whole.depth, i)};
        level.offset = bytes_;
        std::uint64_t const width = width_bytes(i);
        if (shape_.is_line) {
            level.row_bytes = width;
            level.slice_bytes = rounded_up(width, tile_bytes);
        } else {
            level.row_bytes = rounded_up(width, tile_width) * tile_rows;
            level.slice_bytes = rounded_up(level.extent.height, tile_rows) / tile_rows * level.row_bytes;
        }
        bytes_ += level.slice_bytes * slices(i);
    }
}

std::uint32_t whole_pyramid(Extent const& extent) {
    std::uint32_t levels = 1;
    for (std::uint32_t longest = std::max({extent.width, extent.height, extent.depth}); longest > 1; longest /= 2)
        ++levels;
    return levels;
}

void copy_to_array(std::byte* array, ArrayLayout const& layout, ArrayBox const& box, std::byte const* from,
                   Pitch pitch) {
    for (std::uint64_t z = 0; z < box.depth; ++z) {
        std::byte const* const slice = from + z * pitch.slice;
        for_slice(layout, box, box.z + z, pitch.row,
                  [&](std::uint64_t at, std::uint64_t row, std::uint64_t bytes) {
                      copy_piece(array + at, slice + row, bytes);
                  });
    }
}

void copy_from_array(std::byte* to, Pitch pitch, std::byte const* array, ArrayLayout const& layout,
                     ArrayBox const& box) {
    for (std::uint64_t z = 0; z < box.depth; ++z) {
        std::byte* const slice = to + z * pitch.slice;
        for_slice(layout, box, box.z + z, pitch.row,
                  [&](std::uint64_t at, std::uint64_t row, std::uint64_t bytes) {
                      copy_piece(slice + row, array + at, bytes);
                  });
    }
}

namespace {

/// The rows from this one on, up to `most`, that are tile_width apart: those of its tile.
std::uint64_t rows_of_tile(ArrayLayout const& layout, std::uint64_t y, std::uint64_t most) {
    return layout.shape().is_line ? std::min<std::uint64_t>(most, 1) : std::min(tile_rows - y % tile_rows, most);
}

}  // namespace

void copy_between_arrays(std::byte* to, ArrayLayout const& to_layout, ArrayBox const& to_box,
                         std::byte const* from, ArrayLayout const& from_layout, ArrayBox const& from_box) {
    for (std::uint64_t z = 0; z < to_box.depth; ++z) {
        for (std::uint64_t y = 0; y < to_box.height;) {
            std::uint64_t const rows = rows_of_tile(from_layout, from_box.y + y,
                                                    rows_of_tile(to_layout, to_box.y + y, to_box.height - y));
            for_each_piece(to_layout, to_box.level, to_box.x, to_box.y + y, to_box.z + z, to_box.width,
                           [&](std::uint64_t at, std::uint64_t done, std::uint64_t bytes) {
                               for_each_piece(
                                   from_layout, from_box.level, from_box.x + done, from_box.y + y, from_box.z + z,
                                   bytes, [&](std::uint64_t source, std::uint64_t in_piece, std::uint64_t part) {
                                       for (std::uint64_t i = 0; i < rows; ++i)
                                           copy_piece(to + at + in_piece + i * tile_width,
                                                      from + source + i * tile_width, part);
                                   });
                           });
            y += rows;
        }
    }
}

}  // namespace warpsim::sim::texture
