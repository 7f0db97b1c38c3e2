#include "sim/memory/device_heap.hpp"

#include <algorithm>
#include <iterator>

namespace warpsim::sim {

DeviceHeap::DeviceHeap(std::uint64_t begin, std::uint64_t bytes) {
    if (bytes >= alignment) free_.emplace(begin, bytes / alignment * alignment);
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
    if (bytes == 0 || bytes > UINT64_MAX - alignment) return 0;
    std::uint64_t const size = (bytes + alignment - 1) / alignment * alignment;
    std::lock_guard const lock(mutex_);
    auto const room =
        std::find_if(free_.begin(), free_.end(), [&](auto const& range) { return range.second >= size; });
    if (room == free_.end()) return 0;
    auto const [address, available] = *room;
    free_.erase(room);
    if (available > size) free_.emplace(address + size, available - size);
    used_.emplace(address, size);
    freed_.erase(freed_.lower_bound(address), freed_.lower_bound(address + size));
    return address;
}

DeviceHeap::Freed DeviceHeap::free(std::uint64_t address) {
    if (address == 0) return Freed::now;
    std::lock_guard const lock(mutex_);
    auto const found = used_.find(address);
    if (found == used_.end()) return freed_.contains(address) ? Freed::before : Freed::never_allocated;
    std::uint64_t begin = address, size = found->second;
    used_.erase(found);
    freed_.insert(address);
    auto next = free_.lower_bound(begin);
    if (next != free_.end() && next->first == begin + size) {
        size += next->second;
        next = free_.erase(next);
    }
    if (next != free_.begin()) {
        auto const before = std::prev(next);
        if (before->first + before->second == begin) {
            begin = before->first;
            size += before->second;
            free_.erase(before);
        }
    }
    free_.emplace(begin, size);
    return Freed::now;
}

std::uint64_t DeviceHeap::used() const {
    std::lock_guard const lock(mutex_);
    std::uint64_t sum = 0;
    for (auto const& [address, size] : used_) sum += size;
    return sum;
}

}  // namespace warpsim::sim
