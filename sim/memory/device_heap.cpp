#include "sim/memory/device_heap.hpp"

#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <iterator>

namespace warpsim::sim {

namespace {

std::string text_of(std::uint64_t begin, DeviceHeap::Block const& block) {
    return std::to_string(block.bytes) + "-byte block of the device heap at " + hexadecimal(begin);
}

/// The block that begins at the address, or last before it; the end if there is none.
template <class Blocks> auto last_before(Blocks const& blocks, std::uint64_t address) {
    auto const after = blocks.upper_bound(address);
    return after == blocks.begin() ? blocks.end() : std::prev(after);
}

}  // namespace

DeviceHeap::DeviceHeap(std::uint64_t begin, std::uint64_t bytes, bool is_guarded)
    : begin_(begin), bytes_(bytes), is_guarded_(is_guarded) {
    if (bytes >= alignment) ranges_.free.emplace(begin, bytes / alignment * alignment);
}

/// The first room of that size, which is no longer free; 0 if there is none.
std::uint64_t DeviceHeap::take_room(std::uint64_t span) {
    auto const room = std::find_if(ranges_.free.begin(), ranges_.free.end(),
                                   [&](auto const& range) { return range.second >= span; });
    if (room == ranges_.free.end()) return 0;
    auto const [address, available] = *room;
    ranges_.free.erase(room);
    if (available > span) ranges_.free.emplace(address + span, available - span);
    ranges_.freed.erase(ranges_.freed.lower_bound(address), ranges_.freed.lower_bound(address + span));
    return address;
}

void DeviceHeap::give_room(std::uint64_t begin, std::uint64_t span) {
    auto next = ranges_.free.lower_bound(begin);
    if (next != ranges_.free.end() && next->first == begin + span) {
        span += next->second;
        next = ranges_.free.erase(next);
    }
    if (next != ranges_.free.begin()) {
        auto const before = std::prev(next);
        if (before->first + before->second == begin) {
            begin = before->first;
            span += before->second;
            ranges_.free.erase(before);
        }
    }
    ranges_.free.emplace(begin, span);
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
    if (bytes == 0 || bytes > UINT64_MAX - 2 * alignment) return 0;
    std::uint64_t const size = (bytes + alignment - 1) / alignment * alignment;
    std::uint64_t const gap = is_guarded_ ? alignment : 0;
    std::lock_guard const lock(mutex_);
    std::uint64_t span = size + gap;
    std::uint64_t address = take_room(span);
    for (auto kept = ranges_.kept.begin(); address == 0 && kept != ranges_.kept.end();) {
        give_room(*kept, ranges_.freed.at(*kept).span);
        kept = ranges_.kept.erase(kept);
        address = take_room(span);
    }
    // What fits without guards is handed out.
    if (address == 0 && gap != 0) address = take_room(span = size);
    if (address != 0) ranges_.used.emplace(address, Block{bytes, span});
    return address;
}

DeviceHeap::Freed DeviceHeap::free(std::uint64_t address) {
    if (address == 0) return Freed::now;
    std::lock_guard const lock(mutex_);
    auto const found = ranges_.used.find(address);
    if (found == ranges_.used.end())
        return ranges_.freed.contains(address) ? Freed::before : Freed::never_allocated;
    Block const block = found->second;
    ranges_.used.erase(found);
    ranges_.freed[address] = block;
    if (is_guarded_) ranges_.kept.push_back(address);
    else give_room(address, block.span);
    return Freed::now;
}

std::uint64_t DeviceHeap::used() const {
    std::lock_guard const lock(mutex_);
    std::uint64_t sum = 0;
    for (auto const& [address, block] : ranges_.used) sum += (block.bytes + alignment - 1) / alignment * alignment;
    return sum;
}

bool DeviceHeap::holds(std::uint64_t address, std::uint64_t bytes) const {
    std::lock_guard const lock(mutex_);
    auto const block = last_before(ranges_.used, address);
    return block != ranges_.used.end() && address - block->first <= block->second.bytes &&
           bytes <= block->second.bytes - (address - block->first);
}

std::string DeviceHeap::describe(std::uint64_t address) const {
    std::lock_guard const lock(mutex_);
    auto const used = last_before(ranges_.used, address), freed = last_before(ranges_.freed, address);
    if (freed != ranges_.freed.end() && address - freed->first < freed->second.bytes)
        return "inside a freed " + text_of(freed->first, freed->second);
    if (used == ranges_.used.end()) return "in no block of the device heap";
    std::uint64_t const end = used->first + used->second.bytes;
    if (address < end) return "reaching past the end of a " + text_of(used->first, used->second);
    return std::to_string(address - end) + " bytes past the end of a " + text_of(used->first, used->second);
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
