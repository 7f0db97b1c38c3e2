#include "sim/memory/global_memory.hpp"

#include "sim/error.hpp"
#include "sim/hexadecimal.hpp"
#include "sim/memory/reservation.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>

namespace warpsim::sim {

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t huge_page = GlobalMemory::page_bytes;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

std::string describe_allocation(Allocation const& a) {
    return std::to_string(a.end - a.begin) + "-byte allocation at " + hexadecimal(a.begin);
}

}  // namespace

Allocation const* AllocationMap::find(std::uint64_t address) const {
    auto const after = std::upper_bound(sorted_.begin(), sorted_.end(), address,
                                        [](std::uint64_t a, Allocation const& x) { return a < x.begin; });
    if (after == sorted_.begin()) return nullptr;
    Allocation const& candidate = *(after - 1);
    return address < candidate.end ? &candidate : nullptr;
}

GlobalMemory::GlobalMemory(std::uint64_t capacity_bytes, bool whole_pages, bool is_guarded)
    : whole_pages_(whole_pages),
      is_guarded_(is_guarded),
      base_(Reservation::process().acquire_slot()),
      capacity_(capacity_bytes),
      next_(base_),
      end_(base_ + Reservation::process().slot_bytes()) {}

GlobalMemory::~GlobalMemory() { Reservation::process().release_slot(base_); }

bool GlobalMemory::owns(std::uint64_t address) const {
    return address - base_ < Reservation::process().slot_bytes();
}

void GlobalMemory::make_usable(std::uint64_t start, std::uint64_t bytes) const {
    std::uint64_t const unit = whole_pages_ ? huge_page : page;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are host addresses
    void* const first = reinterpret_cast<void*>(start / unit * unit);
    std::uint64_t const length = round_up(start + bytes, unit) - start / unit * unit;
    if (mprotect(first, length, PROT_READ | PROT_WRITE) != 0) {
        throw Error(ErrorKind::launch,
                    "the host has no memory for an allocation of " + std::to_string(bytes) + " bytes");
    }
    if (bytes >= huge_page) madvise(first, length, MADV_HUGEPAGE);
}

std::uint64_t GlobalMemory::place(std::uint64_t bytes) {
    // A gap of at least one alignment unit after every allocation catches small overruns.
    std::uint64_t const size = round_up(bytes, alignment);
    constexpr std::uint64_t widest_gap = std::uint64_t{1} << 20;
    std::uint64_t const gap = is_guarded_ ? std::clamp(size, alignment, widest_gap) : alignment;
    std::uint64_t const span = size + gap;
    // Large allocations start on a huge page, which causes fewer misses in the host's TLB.
    std::uint64_t const start = bytes >= huge_page ? round_up(next_, huge_page) : next_;
    if (start + span <= end_) {
        make_usable(start, bytes);
        next_ = start + span;
        return start;
    }
    // There are no untouched addresses left: reuse the oldest freed range that is large enough.
    for (auto it = quarantine_.begin(); it != quarantine_.end(); ++it) {
        Allocation const range = freed_.at(*it);
        if (range.end - range.begin < bytes) continue;
        std::memset(reinterpret_cast<void*>(range.begin), 0, bytes);
        freed_.erase(range.begin);
        quarantine_.erase(it);
        return range.begin;
    }
    throw Error(ErrorKind::launch, "device addresses are exhausted");
}

std::uint64_t GlobalMemory::used() const {
    std::lock_guard const lock(mutex_);
    return used_;
}

std::uint64_t GlobalMemory::allocate(std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    bytes = std::max<std::uint64_t>(bytes, 1);
    if (bytes > capacity_ - std::min(used_, capacity_)) {
        throw Error(ErrorKind::launch, "out of device memory: " + std::to_string(bytes) + " bytes asked for, " +
                                           std::to_string(capacity_ - used_) + " of " + std::to_string(capacity_) +
                                           " free");
    }
    std::uint64_t const address = place(bytes);
    live_[address] = {address, address + bytes};
    used_ += bytes;
    map_.reset();
    return address;
}

void GlobalMemory::allocate_at(std::uint64_t address, std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    bytes = std::max<std::uint64_t>(bytes, 1);
    auto const next = live_.lower_bound(address);
    bool const is_taken = (next != live_.end() && next->first - address < bytes) ||
                          (next != live_.begin() && std::prev(next)->second.end > address);
    bool const is_inside = address >= base_ && address < end_ && bytes <= end_ - address;
    if (!is_inside || is_taken || !freed_.empty() || bytes > capacity_ - std::min(used_, capacity_)) {
        throw Error(ErrorKind::launch, "no " + std::to_string(bytes) + " bytes can be had at " +
                                           hexadecimal(address) + ": " +
                                           (is_taken ? "others are there" : "the device's memory is elsewhere"));
    }
    make_usable(address, bytes);
    next_ = std::max(next_, round_up(address + bytes, alignment) + alignment);
    live_[address] = {address, address + bytes};
    used_ += bytes;
    map_.reset();
}

void GlobalMemory::free(std::uint64_t address) {
    std::lock_guard const lock(mutex_);
    auto const it = live_.find(address);
    if (it == live_.end() || adopted_.contains(address)) {
        bool const twice = freed_.contains(address);
        throw Error(ErrorKind::launch, "cannot free " + hexadecimal(address) + ": " +
                                           (twice ? "it was freed before" : "no allocation begins there"));
    }
    Allocation const range = it->second;
    live_.erase(it);
    used_ -= range.end - range.begin;
    freed_[range.begin] = range;
    quarantine_.push_back(range.begin);
    map_.reset();
    // Whole pages are returned to the host. A later use is caught by the bounds checks, not by page protection.
    std::uint64_t const first = round_up(range.begin, page);
    std::uint64_t const last = range.end / page * page;
    if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void GlobalMemory::keep_narrow() {
    std::lock_guard const lock(mutex_);
    std::uint64_t const end = base_ + narrow_windows.shared;
    if (next_ > end) {
        throw Error(ErrorKind::launch,
                    "a module with 32-bit addresses cannot be loaded: " + std::to_string((next_ - base_) >> 20) +
                        " MiB of the device's addresses have been handed out before");
    }
    end_ = end;
    next_ = std::max(next_, base_ + alignment);  // the address 0 means that there is nothing
}

void GlobalMemory::adopt(std::uint64_t address, std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    auto const next = live_.lower_bound(address);
    bool const overlaps = (next != live_.end() && next->first < address + bytes) ||
                          (next != live_.begin() && std::prev(next)->second.end > address);
    if (overlaps || bytes == 0) {
        throw Error(ErrorKind::launch,
                    "cannot make " + std::to_string(bytes) + " bytes at " + hexadecimal(address) +
                        " visible: " + (bytes == 0 ? "the range is empty" : "a part of it is visible already"));
    }
    live_[address] = {address, address + bytes};
    adopted_.insert(address);
    map_.reset();
}

void GlobalMemory::disown(std::uint64_t address) {
    std::lock_guard const lock(mutex_);
    if (adopted_.erase(address) == 0) {
        throw Error(ErrorKind::launch, "no memory of the host was made visible at " + hexadecimal(address));
    }
    live_.erase(address);
    map_.reset();
}

std::optional<Allocation> GlobalMemory::find(std::uint64_t address, std::uint64_t bytes) const {
    std::lock_guard const lock(mutex_);
    auto after = live_.upper_bound(address);
    if (after == live_.begin()) return std::nullopt;
    Allocation const& candidate = std::prev(after)->second;
    if (address > candidate.end || bytes > candidate.end - address) return std::nullopt;
    return candidate;
}

std::shared_ptr<AllocationMap const> GlobalMemory::map() {
    std::lock_guard const lock(mutex_);
    if (!map_) {
        std::vector<Allocation> sorted;
        if (whole_pages_) sorted = used_pages();
        else {
            sorted.reserve(live_.size());
            for (auto const& [begin, allocation] : live_) sorted.push_back(allocation);
        }
        map_ = std::make_shared<AllocationMap const>(std::move(sorted));
    }
    return map_;
}

/// The pages that hold allocations, as ranges; what belongs to the host stays as it is.
std::vector<Allocation> GlobalMemory::used_pages() const {
    std::vector<Allocation> ranges;
    for (auto const& [begin, allocation] : live_) {
        if (adopted_.contains(begin)) {
            ranges.push_back(allocation);
            continue;
        }
        Allocation const pages{begin / huge_page * huge_page, round_up(allocation.end, huge_page)};
        if (!ranges.empty() && pages.begin <= ranges.back().end) ranges.back().end = pages.end;
        else ranges.push_back(pages);
    }
    return ranges;
}

bool GlobalMemory::is_in_used_pages(std::uint64_t address, std::uint64_t bytes) const {
    std::lock_guard const lock(mutex_);
    if (!owns(address)) return false;
    AllocationMap const pages(used_pages());
    Allocation const* const found = pages.find(address);
    return found != nullptr && bytes <= found->end - address;
}

std::string GlobalMemory::describe(std::uint64_t address) const {
    std::lock_guard const lock(mutex_);
    auto const freed = freed_.upper_bound(address);
    if (freed != freed_.begin()) {
        Allocation const& range = std::prev(freed)->second;
        if (address < range.end) return "inside a freed " + describe_allocation(range);
    }
    auto const after = live_.upper_bound(address);
    if (after != live_.begin()) {
        Allocation const& below = std::prev(after)->second;
        if (address < below.end) return "reaching past the end of a " + describe_allocation(below);
        std::uint64_t const distance = address - below.end;
        if (distance < std::uint64_t{1} << 20) {
            return std::to_string(distance) + " bytes past the end of a " + describe_allocation(below);
        }
    }
    if (after != live_.end() && after->second.begin - address < std::uint64_t{1} << 20) {
        return std::to_string(after->second.begin - address) + " bytes before a " +
               describe_allocation(after->second);
    }
    return "not inside any allocation";
}

}  // namespace warpsim::sim
