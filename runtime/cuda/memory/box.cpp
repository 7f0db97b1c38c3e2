#include "runtime/cuda/memory/box.hpp"

#include <cstddef>
#include <cstring>

namespace warpsim::cuda {

namespace {

std::byte* bytes_at(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

bool has_gaps(Box const& box, Extent const& extent) {
    return (extent.height > 1 && box.row_distance != extent.width) ||
           (extent.depth > 1 && box.slice_distance != extent.width * extent.height);
}

/// The same bytes as a single row, if they are one in both boxes.
Extent joined(Box const& a, Box const& b, Extent const& extent) {
    if (extent.is_empty() || has_gaps(a, extent) || has_gaps(b, extent)) return extent;
    return {extent.width * extent.height * extent.depth, 1, 1};
}

/// Calls row(y, z) for each.
template <class Row> void for_each_row(Extent const& extent, Row&& row) {
    for (std::uint64_t z = 0; z < extent.depth; ++z) {
        for (std::uint64_t y = 0; y < extent.height; ++y) row(y, z);
    }
}

std::uint64_t address_of(Box const& box, std::uint64_t y, std::uint64_t z) {
    return box.address + z * box.slice_distance + y * box.row_distance;
}

void move_texels(Box const& to, Box const& from, Extent const& extent) {
    namespace texture = sim::texture;
    ArrayPlace const &target = to.place, &source = from.place;
    std::byte *const to_bytes = bytes_at(to.address), *const from_bytes = bytes_at(from.address);
    if (!from.is_in_array()) {
        texture::copy_to_array(to_bytes, *target.layout, target.box(extent), from_bytes,
                               {from.row_distance, from.slice_distance});
    } else if (!to.is_in_array()) {
        texture::copy_from_array(to_bytes, {to.row_distance, to.slice_distance}, from_bytes, *source.layout,
                                 source.box(extent));
    } else {
        texture::copy_between_arrays(to_bytes, *target.layout, target.box(extent), from_bytes, *source.layout,
                                     source.box(extent));
    }
}

/// Calls piece(address, offset in the row, bytes) for each piece of a row that lies in one place.
template <class Piece>
void for_each_piece(Box const& box, std::uint64_t x, std::uint64_t y, std::uint64_t z, std::uint64_t width,
                    Piece&& piece) {
    ArrayPlace const& at = box.place;
    if (!box.is_in_array()) {
        piece(address_of(box, y, z) + x, std::uint64_t{0}, width);
        return;
    }
    sim::texture::for_each_piece(*at.layout, at.level, at.x * at.element_bytes + x, at.y + y, at.z + z, width,
                                 [&](std::uint64_t offset, std::uint64_t done, std::uint64_t bytes) {
                                     piece(box.address + offset, done, bytes);
                                 });
}

/// Each of two devices hears of its own side.
void tell_moved(CopyDevices const& devices, std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    // First that something has arrived, then what of it is not defined.
    if (&devices.to != &devices.from) devices.to.tell_moved(to, from, bytes);
    devices.from.tell_moved(to, from, bytes);
}

void tell_moved_texels(CopyDevices const& devices, Box const& to, Box const& from, Extent const& extent) {
    for_each_row(extent, [&](std::uint64_t y, std::uint64_t z) {
        for_each_piece(to, 0, y, z, extent.width, [&](std::uint64_t target, std::uint64_t x, std::uint64_t bytes) {
            for_each_piece(from, x, y, z, bytes,
                           [&](std::uint64_t source, std::uint64_t done, std::uint64_t part) {
                               tell_moved(devices, target + done, source, part);
                           });
        });
    });
}

void set_row(std::byte* row, std::uint64_t width, std::uint32_t value, unsigned element_bytes) {
    if (element_bytes == 1) {
        std::memset(row, static_cast<int>(value & 0xff), width);
        return;
    }
    for (std::uint64_t x = 0; x + element_bytes <= width; x += element_bytes)
        std::memcpy(row + x, &value, element_bytes);
}

}  // namespace

void move(CopyDevices const& devices, Box const& to, Box const& from, Extent const& extent) {
    if (to.is_in_array() || from.is_in_array()) {
        move_texels(to, from, extent);
        if (devices.to.is_watched()) tell_moved_texels(devices, to, from, extent);
        return;
    }
    Extent const rows = joined(to, from, extent);
    for_each_row(rows, [&](std::uint64_t y, std::uint64_t z) {
        std::uint64_t const target = address_of(to, y, z), source = address_of(from, y, z);
        std::memmove(bytes_at(target), bytes_at(source), rows.width);
        tell_moved(devices, target, source, rows.width);
    });
}

void set(runtime::Device const& device, Box const& to, Extent const& extent, std::uint32_t value,
         unsigned element_bytes) {
    Extent const rows = joined(to, to, extent);
    for_each_row(rows, [&](std::uint64_t y, std::uint64_t z) {
        std::uint64_t const target = address_of(to, y, z);
        set_row(bytes_at(target), rows.width, value, element_bytes);
        device.tell_set(target, rows.width);
    });
}

}  // namespace warpsim::cuda
