#include "sim/tensor/box_walk.hpp"

#include <algorithm>

namespace warpsim::sim::tensor {

namespace {

constexpr std::uint32_t pixels_128 = 128, group_128 = 32;  // im2col::w::128 loads halos behind groups

std::uint32_t divided_up(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

std::uint32_t channels_of_slice(TensorMap const& map) {
    return slice_bytes(map.interleave) * 8 / global_bits(map.element);
}

/// Elements of the innermost dimension.
std::uint32_t inner(TensorMap const& map) { return map.mode == Mode::tile ? map.box[0] : map.channels; }

/// How often the box is traversed for slices of channels; 1 without interleave. The stride of dimension 0 counts
/// slices.
std::uint32_t slices(TensorMap const& map) {
    if (map.interleave == Interleave::none) return 1;
    return divided_up(divided_up(inner(map), channels_of_slice(map)), map.element_strides[0]);
}

std::uint32_t steps(TensorMap const& map, std::size_t dimension) {
    return divided_up(map.box[dimension], map.element_strides[dimension]);
}

std::uint32_t main_pixels(TensorMap const& map) {
    return map.mode == Mode::im2col_w_128 ? pixels_128 : map.pixels;
}

std::uint64_t all_pixels(TensorMap const& map, Request const& request) {
    std::uint64_t const halo = request.offsets[0];
    if (map.mode == Mode::im2col_w) return map.pixels + halo;
    if (map.mode == Mode::im2col_w_128) return pixels_128 + pixels_128 / group_128 * halo;
    return map.pixels;
}

using Position = std::array<std::int64_t, 5>;

class Walker {
public:
    Walker(TensorMap const& map, Request const& request) : map_(map), request_(request) {
        for (std::size_t i = 0; i < 5; ++i) at_[i] = request.at[i];
    }

    std::vector<Run> run() && {
        if (request_.is_gather) gather();
        else if (map_.mode == Mode::tile && map_.interleave != Interleave::none) tile_of_slices();
        else if (map_.mode == Mode::tile) tile(map_.rank - 1, 0);
        else pixels_of_slices();
        return std::move(runs_);
    }

private:
    /// The next row of the box begins at this position, in a slice of channels if there are some.
    void row(Position const& at, std::uint32_t slice) {
        std::uint32_t const bits = global_bits(map_.element), bytes = size_.global_row;
        std::uint32_t const offset = offset_;
        offset_ += bytes;
        std::uint64_t address = map_.address;
        for (std::size_t i = 1; i < map_.rank; ++i) {
            if (at[i] < 0 || at[i] >= static_cast<std::int64_t>(map_.dims[i])) return;
            address += static_cast<std::uint64_t>(at[i]) * map_.strides[i - 1];
        }
        if (map_.interleave != Interleave::none) return slice_row(at, slice, address, offset);
        std::int64_t const first = std::max<std::int64_t>(0, -at[0]),
                           last = std::min<std::int64_t>(inner(map_),
                                                         static_cast<std::int64_t>(map_.dims[0]) - at[0]);
        if (first >= last) return;
        auto const begin = static_cast<std::uint32_t>(first * bits / 8),
                   end = static_cast<std::uint32_t>(last * bits / 8);
        add({address + static_cast<std::uint64_t>((at[0] + first) * bits / 8), offset + begin, end - begin});
    }
    /// NC/8HWC8 and its like: slices follow one another behind all pixels of an image. The last one is complete in
    /// memory.
    void slice_row(Position const& at, std::uint32_t slice, std::uint64_t address, std::uint32_t offset) {
        std::int64_t const channels = channels_of_slice(map_),
                           number = at[0] / channels + std::int64_t{slice} * map_.element_strides[0];
        std::int64_t const count = (static_cast<std::int64_t>(map_.dims[0]) + channels - 1) / channels;
        if (number < 0 || number >= count) return;
        std::uint64_t const stride = map_.strides[map_.rank - 3] * map_.dims[map_.rank - 2];
        add({address + static_cast<std::uint64_t>(number) * stride, offset, size_.global_row});
    }
    void add(Run const& run) {
        if (!runs_.empty()) {
            Run& last = runs_.back();
            if (last.address + last.bytes == run.address && last.offset + last.bytes == run.offset) {
                last.bytes += run.bytes;
                return;
            }
        }
        runs_.push_back(run);
    }
    /// The dimensions from this one inward, down to 1.
    void tile(std::size_t dimension, std::uint32_t slice) {
        if (dimension == 0) return row(at_, slice);
        std::int64_t const begin = at_[dimension];
        for (std::uint32_t i = 0; i < steps(map_, dimension);
             ++i, at_[dimension] += map_.element_strides[dimension])
            tile(dimension - 1, slice);
        at_[dimension] = begin;
    }
    void tile_of_slices() {
        std::size_t const images = map_.rank - 1;
        for (std::uint32_t i = 0; i < steps(map_, images); ++i, at_[images] += map_.element_strides[images]) {
            for (std::uint32_t slice = 0; slice < slices(map_); ++slice) tile(images - 1, slice);
        }
    }
    void gather() {
        for (std::size_t i = 1; i < 5; ++i) row({at_[0], request_.at[i]}, 0);
    }
    void pixels_of_slices() {
        Position const begin = at_;
        for (std::uint32_t slice = 0; slice < slices(map_); ++slice, at_ = begin) pixels(slice);
    }
    void pixels(std::uint32_t slice) {
        bool const is_wide = map_.mode != Mode::im2col;
        std::uint32_t const count = main_pixels(map_), halo = is_wide ? request_.offsets[0] : 0;
        for (std::uint32_t i = 1; i <= count; ++i) {
            pixel(at_, slice);
            bool const ends = map_.mode == Mode::im2col_w_128 ? i % group_128 == 0 : i == count;
            Position beyond = at_;
            for (std::uint32_t h = 0; ends && h < halo; ++h) {
                beyond[1] += map_.element_strides[1];
                pixel(beyond, slice);
            }
            next_pixel(is_wide ? 1 : map_.rank - 2);
        }
    }
    /// The position is that of the filter; the offsets say which pixel below it is meant.
    void pixel(Position at, std::uint32_t slice) {
        if (map_.mode != Mode::im2col) at[1] += request_.offsets[1];
        else
            for (std::size_t i = 0; i + 2 < map_.rank; ++i) at[i + 1] += request_.offsets[i];
        row(at, slice);
    }
    void next_pixel(std::size_t dimensions) {
        for (std::size_t i = 0; i < dimensions; ++i) {
            at_[i + 1] += map_.element_strides[i + 1];
            if (at_[i + 1] < static_cast<std::int64_t>(map_.dims[i + 1]) + map_.upper[i]) return;
            at_[i + 1] = map_.lower[i];
        }
        ++at_[map_.rank - 1];
    }

    TensorMap const& map_;
    Request const& request_;
    BoxSize const size_ = size_of(map_, request_);
    Position at_{};
    std::uint32_t offset_ = 0;  // of the next row
    std::vector<Run> runs_;
};

std::string check_gather(TensorMap const& map) {
    if (map.rank != 2) return "tile::gather4 and tile::scatter4 take tensors of 2 dimensions";
    if (map.box[1] != 1) return "tile::gather4 and tile::scatter4 take boxes of one row";
    return {};
}

}  // namespace

std::string check(TensorMap const& map, Request const& request) {
    constexpr char const* names[] = {"tile", "im2col", "im2col::w", "im2col::w::128"};
    if (map.mode != request.mode)
        return std::string("a map of mode ") + names[static_cast<std::size_t>(map.mode)] + " in a copy of mode " +
               names[static_cast<std::size_t>(request.mode)];
    if (map.rank != request.rank)
        return "a map of " + std::to_string(map.rank) + " dimensions in a copy of " + std::to_string(request.rank);
    if (request.is_gather) {
        if (std::string wrong = check_gather(map); !wrong.empty()) return wrong;
    }
    std::int32_t const unit = map.element == Element::b4x16_p64 || map.element == Element::b6x16_p32 ? 128
                              : map.element == Element::b4x16                                        ? 2
                              : map.interleave != Interleave::none
                                  ? static_cast<std::int32_t>(channels_of_slice(map))
                                  : 1;
    if (request.at[0] % unit != 0)
        return "the first coordinate must be a multiple of " + std::to_string(unit) + " for this map; it is " +
               std::to_string(request.at[0]);
    if (map.mode == Mode::im2col) {
        std::uint32_t const limit = map.rank == 3 ? 65536 : map.rank == 4 ? 256 : 32;
        for (std::size_t i = 0; i + 2 < map.rank; ++i) {
            if (request.offsets[i] >= limit)
                return "offsets of im2col in " + std::to_string(map.rank) + " dimensions must be below " +
                       std::to_string(limit) + "; this one is " + std::to_string(request.offsets[i]);
        }
    }
    if (!request.is_store) return {};
    if (map.atomicity == Atomicity::bytes_32_flip_8) return "a swizzle that flips 8 bytes is for loads only";
    if (map.element == Element::b4x16_p64) return "elements of .b4x16_p64 can be loaded only";
    return {};
}

BoxSize size_of(TensorMap const& map, Request const& request) {
    BoxSize size;
    std::uint32_t const slice = slice_bytes(map.interleave);
    size.global_row = slice != 0 ? slice : inner(map) * global_bits(map.element) / 8;
    size.shared_row = slice != 0 ? slice : inner(map) * shared_bits(map.element) / 8;
    size.rows = slices(map);
    if (request.is_gather) size.rows = 4;
    else if (map.mode != Mode::tile) size.rows *= all_pixels(map, request);
    else
        for (std::size_t i = 1; i < map.rank; ++i) size.rows *= steps(map, i);
    return size;
}

std::vector<Run> walk(TensorMap const& map, Request const& request) { return Walker(map, request).run(); }

}  // namespace warpsim::sim::tensor
