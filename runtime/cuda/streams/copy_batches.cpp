#include "runtime/cuda/streams/copy_batches.hpp"

#include <algorithm>

namespace warpsim::cuda {

namespace {

template <class F> void do_all(Process& process, std::size_t count, void* handle, std::size_t* failed, F&& one) {
    constexpr std::uint64_t legacy_default_stream = 1;
    if (failed != nullptr) *failed = ~std::size_t{0};
    if (count == 0 || reinterpret_cast<std::uint64_t>(handle) <= legacy_default_stream)
        throw Failure(Result::invalid_value);
    auto const stream = process.stream(handle);
    for (std::size_t i = 0; i < count; ++i) {
        try {
            one(i, *stream);
        } catch (Failure const&) {
            if (failed != nullptr) *failed = i;
            throw;
        }
    }
}

constexpr int is_memory = 1, is_array = 2;

std::uint64_t element_bytes(Process& process, BoxOperand const& side) {
    return side.type == is_array ? process.arrays.get(side.array.handle)->shape.format.bytes() : 1;
}

Box box_of(Process& process, BoxOperand const& side, Extent const& extent, std::uint64_t element) {
    if (side.type == is_array) {
        return process.arrays.get(side.array.handle)
            ->box(side.array.x * element, side.array.y, side.array.z, extent);
    }
    if (side.type != is_memory) throw Failure(Result::invalid_value);
    std::uint64_t const row = side.memory.row_length != 0 ? side.memory.row_length * element : extent.width;
    std::uint64_t const rows = side.memory.layer_height != 0 ? side.memory.layer_height : extent.height;
    if (row < extent.width || rows < extent.height) throw Failure(Result::invalid_value);
    return {side.memory.address, row, row * rows};
}

CopyWork work_of(Process& process, BoxCopy const& c) {
    constexpr int last_access_order = 3;
    if (c.access_order < 1 || c.access_order > last_access_order) throw Failure(Result::invalid_value);
    std::uint64_t const from = element_bytes(process, c.from), to = element_bytes(process, c.to);
    std::uint64_t const element = std::max(from, to);
    if (c.from.type == is_array && c.to.type == is_array && from != to) throw Failure(Result::invalid_value);
    Extent const extent{c.width * element, c.height, c.depth};
    return {box_of(process, c.to, extent, element), box_of(process, c.from, extent, element), extent,
            Direction::by_address};
}

}  // namespace

void copy_many(Process& process, CopyList const& list, void* stream, std::size_t* failed) {
    bool const is_whole = list.to != nullptr && list.from != nullptr && list.bytes != nullptr;
    bool const has_attributes = list.attributes <= list.count &&
                                (list.attributes == 0 || (list.first_of != nullptr && list.first_of[0] == 0));
    if (!is_whole || !has_attributes) throw Failure(Result::invalid_value);
    do_all(process, list.count, stream, failed, [&](std::size_t i, Stream& in) {
        copy(process, list.to[i], list.from[i], list.bytes[i], Direction::by_address, in, true);
    });
}

void copy_many(Process& process, BoxCopy const* list, std::size_t count, void* stream, std::size_t* failed) {
    if (list == nullptr) throw Failure(Result::invalid_value);
    do_all(process, count, stream, failed,
           [&](std::size_t i, Stream& in) { copy(process, work_of(process, list[i]), in, true); });
}

}  // namespace warpsim::cuda
