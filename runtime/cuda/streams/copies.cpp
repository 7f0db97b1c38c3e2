#include "runtime/cuda/streams/copies.hpp"

#include "runtime/cuda/streams/capture.hpp"
#include "runtime/cuda/streams/work.hpp"

#include <vector>

namespace warpsim::cuda {

namespace {

/// One side of a copy: where it is, and whether that matches the direction.
void check_side(Process& process, Box const& box, Extent const& extent, bool must_be_known) {
    if (box.address == 0) throw Failure(Result::invalid_value);
    if ((extent.height > 1 || extent.depth > 1) && box.row_distance < extent.width)
        throw Failure(Result::invalid_pitch);
    Memory const& memory = process.memory;
    memory.check(box.address, extent.span(box));
    must_be_known = must_be_known || box.place.array != nullptr;
    // Memory of a graph may be named before it exists.
    if (must_be_known && !memory.find(box.address) && !memory.is_suspended(box.address))
        throw Failure(Result::invalid_value);
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
    if (box.place.array != nullptr) return Side::device;
    auto const range = memory.find(box.address);
    if (!range) return memory.is_suspended(box.address) ? Side::device : Side::pageable;
    bool const is_host = range->kind == MemoryKind::host || range->kind == MemoryKind::registered;
    return is_host || range->device != gpu.ordinal ? Side::locked : Side::device;
}

/// Slices of a volume that do not follow each other directly are taken for rows that do.
runtime::TimedCopy::Area area_of(Box const& box, Extent const& extent) {
    std::uint64_t const rows = extent.height * extent.depth;
    if (box.row_distance == extent.width) return {box.address, extent.width * rows};
    return {box.address, extent.width, rows, box.row_distance};
}

}  // namespace

runtime::TimedCopy in_time(Process& process, Gpu const& gpu, CopyWork const& w) {
    runtime::TimedCopy copy;
    if (!gpu.is_timed()) return copy;
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
    auto const& [to, from, extent, direction] = work;
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
    if (!asynchronous || !memory.find(to.address)) {
        gpu.run(stream, in_time(process, gpu, work),
                [work, &gpu] { move(gpu.device, work.to, work.from, work.extent); });
        return;
    }
    if (memory.find(from.address)) {
        submit(process, stream, work);
        return;
    }
    // The program may change the bytes as soon as the call returns.
    std::vector<std::byte> staged(extent.width * extent.height * extent.depth);
    Box const stage{reinterpret_cast<std::uint64_t>(staged.data()), extent.width, extent.width * extent.height};
    move(gpu.device, stage, from, extent);
    gpu.submit(stream, in_time(process, gpu, work), [work, &gpu, staged = std::move(staged)] {
        Extent const& e = work.extent;
        move(gpu.device, work.to, {reinterpret_cast<std::uint64_t>(staged.data()), e.width, e.width * e.height},
             e);
    });
}

void copy_between(Process& process, CopyWork const& work, Gpu& to, Gpu& from, Stream& stream, bool asynchronous) {
    if (!asynchronous) {
        to.wait_all();
        from.wait_all();
    }
    copy(process, work, stream, asynchronous);
}

void fill(Process& process, Box const& to, Extent const& extent, std::uint32_t value, unsigned element_bytes,
          Stream& stream) {
    stream.gpu.check();
    FillWork const work{to, extent, value, element_bytes};
    check(process, work);
    bool const is_there = is_captured(stream) || !process.memory.is_suspended(to.address);
    if (!is_there) throw Failure(Result::invalid_value);
    if (!extent.is_empty()) submit(process, stream, work);
}

}  // namespace warpsim::cuda
