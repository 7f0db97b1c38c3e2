#include "runtime/cuda/memory/managed.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::cuda {

namespace {

enum Residence : int { no_place = 0, on_device = 1, on_host = 2, host_node = 3, own_host_node = 4 };

enum Advice : int {
    set_read_mostly = 1,
    unset_read_mostly = 2,
    set_preferred = 3,
    unset_preferred = 4,
    set_accessed_by = 5,
    unset_accessed_by = 6,
};

enum ManagedAttribute : int {
    read_mostly = 1,
    preferred = 2,
    accessed_by = 3,
    last_prefetch = 4,
    preferred_type = 5,
    preferred_id = 6,
    last_prefetch_type = 7,
    last_prefetch_id = 8,
};

constexpr int host_device = -1;  // the host, where one number stands for a device or the host

MemoryRange managed_range(Memory const& memory, std::uint64_t address, std::uint64_t bytes) {
    auto const range = memory.find(address);
    bool const is_managed =
        range && (range->kind == MemoryKind::managed || range->kind == MemoryKind::managed_variable);
    if (bytes == 0 || !is_managed) throw Failure(Result::invalid_value);
    memory.check(address, bytes);
    return *range;
}

void check_place(Memory const& memory, MemoryPlace const& place) {
    if (place.type == on_device) memory.check_device(place.id);
    else if (place.type < on_device || place.type > own_host_node) throw Failure(Result::invalid_value);
}

int device_of(MemoryPlace const& place) {
    if (place.type == no_place) return no_device;
    return place.type == on_device ? place.id : host_device;
}

}  // namespace

void prefetch(Memory& memory, std::uint64_t address, std::uint64_t bytes, MemoryPlace place) {
    check_place(memory, place);
    MemoryRange range = managed_range(memory, address, bytes);
    range.advice.last_prefetch = place;
    memory.set_advice(range.begin, range.advice);
}

void prefetch(Memory& memory, MemoryList const& ranges, PlaceList const& places) {
    bool const is_whole = ranges.addresses != nullptr && ranges.bytes != nullptr && ranges.count != 0 &&
                          places.places != nullptr && places.first_of != nullptr && places.count != 0 &&
                          places.count <= ranges.count && places.first_of[0] == 0;
    if (!is_whole) throw Failure(Result::invalid_value);
    for (std::size_t i = 0, place = 0; i < ranges.count; ++i) {
        while (place + 1 < places.count && places.first_of[place + 1] <= i) ++place;
        prefetch(memory, ranges.addresses[i], ranges.bytes[i], places.places[place]);
    }
}

void discard(Memory& memory, MemoryList const& ranges) {
    if (ranges.addresses == nullptr || ranges.bytes == nullptr || ranges.count == 0)
        throw Failure(Result::invalid_value);
    for (std::size_t i = 0; i < ranges.count; ++i) managed_range(memory, ranges.addresses[i], ranges.bytes[i]);
}

void advise(Memory& memory, std::uint64_t address, std::uint64_t bytes, int advice, MemoryPlace place) {
    if (advice < set_read_mostly || advice > unset_accessed_by) throw Failure(Result::invalid_value);
    MemoryRange range = managed_range(memory, address, bytes);
    if (advice == set_preferred || advice >= set_accessed_by) check_place(memory, place);
    MemoryAdvice& known = range.advice;
    int const device = device_of(place);
    switch (advice) {
        case set_read_mostly: known.is_read_mostly = true; break;
        case unset_read_mostly: known.is_read_mostly = false; break;
        case set_preferred: known.preferred = place; break;
        case unset_preferred: known.preferred = {}; break;
        case set_accessed_by:
            if (std::find(known.accessed_by.begin(), known.accessed_by.end(), device) == known.accessed_by.end()) {
                known.accessed_by.push_back(device);
            }
            break;
        default: std::erase(known.accessed_by, device); break;
    }
    memory.set_advice(range.begin, known);
}

void managed_attribute(Memory& memory, void* out, std::size_t size, int attribute, std::uint64_t address,
                       std::uint64_t bytes) {
    MemoryAdvice const advice = managed_range(memory, address, bytes).advice;
    if (out == nullptr || size == 0 || size % sizeof(int) != 0) throw Failure(Result::invalid_value);
    auto const put = [&](int value) {
        if (size != sizeof value) throw Failure(Result::invalid_value);
        std::memcpy(out, &value, sizeof value);
    };
    switch (attribute) {
        case read_mostly: return put(advice.is_read_mostly);
        case preferred: return put(device_of(advice.preferred));
        case last_prefetch: return put(device_of(advice.last_prefetch));
        case preferred_type: return put(advice.preferred.type);
        case preferred_id: return put(advice.preferred.id);
        case last_prefetch_type: return put(advice.last_prefetch.type);
        case last_prefetch_id: return put(advice.last_prefetch.id);
        case accessed_by: {
            std::vector<int> list = advice.accessed_by;
            list.resize(size / sizeof(int), no_device);
            std::memcpy(out, list.data(), size);
            return;
        }
        default: throw Failure(Result::invalid_value);
    }
}

}  // namespace warpsim::cuda
