#include "sim/memory/device_heap.hpp"

#include <algorithm>
#include <iterator>

namespace warpsim::sim {

DeviceHeap::DeviceHeap(std::uint64_t begin, std::uint64_t bytes) {
    if (bytes >= alignment) ranges_.free.emplace(begin, bytes / alignment * alignment);
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
    if (bytes == 0 || bytes > UINT64_MAX - alignment) return 0;
    std::uint64_t const size = (bytes + alignment - 1) / alignment * alignment;
    std::lock_guard const lock(mutex_);
    auto const room = std::find_if(ranges_.free.begin(), ranges_.free.end(),
                                   [&](auto const& range) { return range.second >= size; });
    if (room == ranges_.free.end()) return 0;
    auto const [address, available] = *room;
    ranges_.free.erase(room);
    if (available > size) ranges_.free.emplace(address + size, available - size);
    ranges_.used.emplace(address, size);
    ranges_.freed.erase(ranges_.freed.lower_bound(address), ranges_.freed.lower_bound(address + size));
    return address;
}

DeviceHeap::Freed DeviceHeap::free(std::uint64_t address) {
    if (address == 0) return Freed::now;
    std::lock_guard const lock(mutex_);
    auto const found = ranges_.used.find(address);
    if (found == ranges_.used.end())
        return ranges_.freed.contains(address) ? Freed::before : Freed::never_allocated;
    std::uint64_t begin = address, size = found->second;
    ranges_.used.erase(found);
    ranges_.freed.insert(address);
    auto next = ranges_.free.lower_bound(begin);
    if (next != ranges_.free.end() && next->first == begin + size) {
        size += next->second;
        next = ranges_.free.erase(next);
    }
    if (next != ranges_.free.begin()) {
        auto const before = std::prev(next);
        if (before->first + before->second == begin) {
            begin = before->first;
            size += before->second;
            ranges_.free.erase(before);
        }
    }
    ranges_.free.emplace(begin, size);
    return Freed::now;
}

std::uint64_t DeviceHeap::used() const {
    std::lock_guard const lock(mutex_);
    std::uint64_t sum = 0;
    for (auto const& [address, size] : ranges_.used) sum += size;
    return sum;
}

DeviceHeap::Ranges DeviceHeap::ranges() const {
    std::lock_guard const lock(mutex_);
    return ranges_;
}

void DeviceHeap::restore(Ranges const& ranges) {
    std::lock_guard const lock(mutex_);
    ranges_ = ranges;
}

}  // namespace warpsim::sim
