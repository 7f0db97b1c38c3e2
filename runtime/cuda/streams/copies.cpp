#include "runtime/cuda/streams/copies.hpp"

#include "runtime/cuda/streams/capture.hpp"
#include "runtime/cuda/streams/work.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpsim::cuda {

namespace {

/// One side of a copy: where it is, and whether that matches the direction.
void check_side(Process& process, Box const& box, Extent const& extent, bool must_be_known) {
    if (box.address == 0) throw BadMemory(Result::invalid_value, "a null pointer");
    if (box.is_in_array()) {
        auto const range = process.memory.find(box.address);
        if (!range || range->id != box.place.memory_id) throw Failure(Result::invalid_value);
        return;
    }
    if ((extent.height > 1 || extent.depth > 1) && box.row_distance < extent.width)
        throw Failure(Result::invalid_pitch);
    Memory const& memory = process.memory;
    memory.check(box.address, extent.span(box));
    // Memory of a graph may be named before it exists.
    if (must_be_known && !memory.find(box.address) && !memory.is_suspended(box.address)) {
        throw BadMemory(Result::invalid_value, "memory of the device must be at " + memory.describe(box.address));
    }
}

/// The device whose own memory an address is in; null for all other memory.
Gpu* owner_of(Process& process, std::uint64_t address) {
    auto const range = process.memory.find(address);
    bool const is_of_device = range && (range->kind == MemoryKind::device || range->kind == MemoryKind::variable);
    return is_of_device ? &process.gpu(range->device) : nullptr;
}
/// `here` for all other memory.
Gpu& owner_of(Process& process, std::uint64_t address, Gpu& here) {
    Gpu* const owner = process.devices() == 1 ? nullptr : owner_of(process, address);
    return owner != nullptr ? *owner : here;
}

/// A copy in a default stream between the memories of two devices begins when all that was submitted to either has been done,
/// and what is submitted to either from now on waits for it ("Peer-to-Peer Memory Copy" in the CUDA Programming Guide).
void submit_between(Process& process, Stream& stream, CopyWork const& work) {
    auto const follow = [&](Stream& later, Stream& earlier) {
        auto const event = std::make_shared<Event>();
        earlier.gpu.record(event, earlier);
        Submission{process, later}(WaitWork{event, nullptr});
    };
    std::vector<Gpu*> others;
    for (std::uint64_t const address : {work.to.address, work.from.address}) {
        Gpu& owner = owner_of(process, address, stream.gpu);
        if (&owner != &stream.gpu) others.push_back(&owner);
    }
    for (Gpu* const other : others) follow(stream, other->legacy);
    submit(process, stream, work);
    for (Gpu* const other : others) follow(other->legacy, stream);
}

bool is_between_devices(Process& process, CopyWork const& work) {
    if (process.devices() == 1) return false;
    Gpu const *const to = owner_of(process, work.to.address), *const from = owner_of(process, work.from.address);
    return to != nullptr && from != nullptr && to != from;
}

/// A copy from another device's memory waits for that device's default stream, as it does for this device's.
void wait_for_owner(Process& process, std::uint64_t address, Gpu const& here) {
    if (process.devices() == 1) return;
    auto const range = process.memory.find(address);
    if (!range || range->device == here.ordinal) return;
    Gpu& owner = process.gpu(range->device);
    owner.wait(owner.legacy);
}

}  // namespace

namespace {

enum class Side : std::uint8_t { device, locked, pageable };

/// Where a side of a copy lies, as that device sees it; another device's memory is behind the same bus as the host's.
Side side_of(Memory const& memory, Gpu const& gpu, Box const& box) {
    if (box.is_in_array()) return Side::device;
    auto const range = memory.find(box.address);
    if (!range) return memory.is_suspended(box.address) ? Side::device : Side::pageable;
    bool const is_host = range->kind == MemoryKind::host || range->kind == MemoryKind::registered;
    return is_host || range->device != gpu.ordinal ? Side::locked : Side::device;
}

/// The tiles that a box of an array touches; slices are taken for rows of tiles that follow on them.
runtime::TimedCopy::Area area_of_tiles(Box const& box, Extent const& extent) {
    using namespace sim::texture;
    if (extent.is_empty()) return {box.address};
    ArrayLayout const& layout = *box.place.layout;
    ArrayBox const b = box.place.box(extent);
    LevelLayout const& level = layout.level(b.level);
    if (layout.shape().is_line)
        return {box.address + layout.offset(b.x, b.y, b.z, b.level), b.width, b.depth, level.slice_bytes};
    std::uint64_t const first = b.x / tile_width, last = (b.x + b.width - 1) / tile_width;
    std::uint64_t const rows = (b.y + b.height - 1) / tile_rows - b.y / tile_rows + 1;
    std::uint64_t const at = layout.offset(first * tile_width, b.y / tile_rows * tile_rows, b.z, b.level);
    return {box.address + at, (last - first + 1) * tile_bytes, rows * b.depth, level.row_bytes};
}

/// Slices of a volume that do not follow each other directly are taken for rows that do.
runtime::TimedCopy::Area area_of(Box const& box, Extent const& extent) {
    if (box.is_in_array()) return area_of_tiles(box, extent);
    std::uint64_t const rows = extent.height * extent.depth;
    if (box.row_distance == extent.width) return {box.address, extent.width * rows};
    return {box.address, extent.width, rows, box.row_distance};
}

}  // namespace

CopyDevices devices_of(Process& process, Gpu& here, CopyWork const& w) {
    return {owner_of(process, w.to.address, here).device, owner_of(process, w.from.address, here).device};
}

runtime::Device const& device_of(Process& process, Gpu& here, FillWork const& w) {
    return owner_of(process, w.to.address, here).device;
}

runtime::TimedCopy in_time(Process& process, Gpu const& gpu, CopyWork const& w) {
    runtime::TimedCopy copy;
    if (!gpu.tells_of_copies()) return copy;
    using Way = runtime::TimedCopy::Way;
    Side const to = side_of(process.memory, gpu, w.to), from = side_of(process.memory, gpu, w.from);
    copy.way = to != Side::device ? Way::to_host : from != Side::device ? Way::to_device : Way::inside;
    copy.is_pageable = to == Side::pageable || from == Side::pageable;
    copy.bytes = w.extent.width * w.extent.height * w.extent.depth;
    if (from == Side::device) copy.from = area_of(w.from, w.extent);
    if (to == Side::device) copy.to = area_of(w.to, w.extent);
    return copy;
}

runtime::TimedCopy in_time(Process&, Gpu const&, FillWork const& w) {
    runtime::TimedCopy copy;
    copy.way = runtime::TimedCopy::Way::fill;
    copy.bytes = w.extent.width * w.extent.height * w.extent.depth;
    copy.to = area_of(w.to, w.extent);
    return copy;
}

void check(Process& process, CopyWork const& w) {
    auto const way = static_cast<int>(w.direction);
    if (way < 0 || way > 4) throw Failure(Result::invalid_copy_direction);
    if (w.extent.is_empty()) return;
    bool const to_device = w.direction == Direction::host_to_device || w.direction == Direction::device_to_device;
    bool const from_device =
        w.direction == Direction::device_to_host || w.direction == Direction::device_to_device;
    check_side(process, w.to, w.extent, to_device);
    check_side(process, w.from, w.extent, from_device);
}

void check(Process& process, FillWork const& w) {
    if (w.extent.is_empty()) return;
    if (w.to.address % w.element_bytes != 0) throw Failure(Result::invalid_value);
    check_side(process, w.to, w.extent, true);
}

void copy(Process& process, CopyWork const& work, Stream& stream, bool asynchronous) {
    Box const &to = work.to, &from = work.from;
    Extent const& extent = work.extent;
    Gpu& gpu = stream.gpu;
    gpu.check();
    check(process, work);
    if (!asynchronous) refuse_when_captured(process, stream);
    if (extent.is_empty()) return;
    if (is_captured(stream)) {
        submit(process, stream, work);
        return;
    }
    check_capture_of(process, stream);
    Memory const& memory = process.memory;
    if (memory.is_suspended(to.address) || memory.is_suspended(from.address)) throw Failure(Result::invalid_value);
    if (!asynchronous) {
        wait_for_owner(process, to.address, gpu);
        wait_for_owner(process, from.address, gpu);
    }
    CopyDevices const devices = devices_of(process, gpu, work);
    if (!asynchronous || !memory.find(to.address)) {
        gpu.run(stream, in_time(process, gpu, work),
                [work, devices] { move(devices, work.to, work.from, work.extent); });
        return;
    }
    if (memory.find(from.address)) {
        if (stream.order.is_legacy && is_between_devices(process, work)) submit_between(process, stream, work);
        else submit(process, stream, work);
        return;
    }
    // The program may change the bytes as soon as the call returns.
    std::vector<std::byte> staged(extent.width * extent.height * extent.depth);
    Box const stage{reinterpret_cast<std::uint64_t>(staged.data()), extent.width, extent.width * extent.height};
    move(devices, stage, from, extent);
    gpu.submit(stream, in_time(process, gpu, work), [work, devices, staged = std::move(staged)] {
        Extent const& e = work.extent;
        move(devices, work.to, {reinterpret_cast<std::uint64_t>(staged.data()), e.width, e.width * e.height}, e);
    });
}

void copy(Process& process, ArrayLine const& to, std::uint64_t from, std::uint64_t bytes, Direction direction,
          Stream& stream, bool asynchronous) {
    for (Array::LinePart const& part : to.array->line(to.x, to.y, bytes)) {
        Extent const& e = part.extent;
        copy(process, part.box, {from + part.done, e.width, e.width * e.height}, e, direction, stream,
             asynchronous);
    }
}

void copy(Process& process, std::uint64_t to, ArrayLine const& from, std::uint64_t bytes, Direction direction,
          Stream& stream, bool asynchronous) {
    for (Array::LinePart const& part : from.array->line(from.x, from.y, bytes)) {
        Extent const& e = part.extent;
        copy(process, {to + part.done, e.width, e.width * e.height}, part.box, e, direction, stream, asynchronous);
    }
}

void copy(Process& process, ArrayLine const& to, ArrayLine const& from, std::uint64_t bytes, Stream& stream) {
    // Rows of different lengths end at different places: what is between two ends, of either, is copied at once.
    (void)to.array->line(to.x, to.y, bytes);  // throws
    (void)from.array->line(from.x, from.y, bytes);
    std::uint64_t const to_row = to.array->row_bytes(), from_row = from.array->row_bytes();
    std::uint64_t const to_start = to.y * to_row + to.x, from_start = from.y * from_row + from.x;
    for (std::uint64_t done = 0; done < bytes;) {
        std::uint64_t const to_at = to_start + done, from_at = from_start + done;
        std::uint64_t const width =
            std::min({to_row - to_at % to_row, from_row - from_at % from_row, bytes - done});
        Extent const extent{width, 1, 1};
        copy(process, to.array->box(to_at % to_row, to_at / to_row, 0, extent),
             from.array->box(from_at % from_row, from_at / from_row, 0, extent), extent,
             Direction::device_to_device, stream, false);
        done += width;
    }
}

void copy_between(Process& process, CopyWork const& work, Gpu& to, Gpu& from, Stream& stream, bool asynchronous) {
    if (!asynchronous) {
        to.wait_all();
        from.wait_all();
    }
    copy(process, work, stream, asynchronous);
}

void fill(Process& process, Box const& to, Extent const& extent, std::uint32_t value, unsigned element_bytes,
          Stream& stream, bool asynchronous) {
    stream.gpu.check();
    FillWork const work{to, extent, value, element_bytes};
    check(process, work);
    bool const is_there = is_captured(stream) || !process.memory.is_suspended(to.address);
    if (!is_there) throw Failure(Result::invalid_value);
    if (!extent.is_empty()) submit(process, stream, work);
    if (asynchronous || is_captured(stream)) return;
    auto const range = process.memory.find(to.address);
    bool const is_of_host = range && range->kind != MemoryKind::device && range->kind != MemoryKind::variable;
    if (is_of_host) stream.gpu.wait(stream);
}

}  // namespace warpsim::cuda
