// The global memory of one device: which ranges are allocated, and in which of them an address lies.
#pragma once

#include "sim/memory/reservation.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warpsim::sim {

/// A range [begin, end) of device addresses, byte-exact.
struct Allocation {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    bool contains(std::uint64_t low, std::uint64_t past_high) const { return low >= begin && past_high <= end; }
};

/// The allocations as they were when a launch began, sorted; all engine threads read them without locks.
class AllocationMap {
public:
    explicit AllocationMap(std::vector<Allocation> sorted) : sorted_(std::move(sorted)) {}
    /// The allocation that contains `address`; null when none does.
    Allocation const* find(std::uint64_t address) const;
    std::vector<Allocation> const& all() const { return sorted_; }

private:
    std::vector<Allocation> sorted_;
};

/// Its functions may be called from any thread. A launch sees the map() that it took when it began.
class GlobalMemory {
public:
    static constexpr std::uint64_t alignment = 512;

    /// What hardware maps as a whole.
    static constexpr std::uint64_t page_bytes = std::uint64_t{2} << 20;

    /// With `whole_pages`, map() has the pages that hold allocations instead of these. With `is_guarded`, the gap after an
    /// allocation is as large as itself, up to a MiB: an index that is out by a whole array does not reach another.
    explicit GlobalMemory(std::uint64_t capacity_bytes, bool whole_pages = false, bool is_guarded = false);
    ~GlobalMemory();
    GlobalMemory(GlobalMemory const&) = delete;
    GlobalMemory& operator=(GlobalMemory const&) = delete;

    std::uint64_t base() const { return base_; }
    /// The distance in bytes, modulo 2^64, from where the first device's memory usually begins to where this one begins.
    /// Caches and slices are selected by the address there, so that the same kernel always takes the same cycles.
    std::uint64_t moved_by() const { return base_ - usual_base; }
    /// Whether this memory may hand out the address, now or later.
    bool owns(std::uint64_t address) const;
    std::uint64_t capacity() const { return capacity_; }
    std::uint64_t used() const;

    /// Zeroed bytes at a 512-byte-aligned address, with an unallocated gap after them. Zero bytes take one byte.
    /// Throws Error(launch) when the capacity is exhausted.
    std::uint64_t allocate(std::uint64_t bytes);
    /// The same at an address that an earlier process has had. Throws Error(launch) when it is not free here.
    void allocate_at(std::uint64_t address, std::uint64_t bytes);
    /// Freed addresses are not reused while the slot has untouched ones, so that a use after free is detected.
    /// Throws Error(launch) for an address that allocate() did not return or that is already free.
    void free(std::uint64_t address);
    /// From now on all memory lies where programs with 32-bit addresses reach it. Throws Error(launch) when some is
    /// allocated beyond.
    void keep_narrow();
    /// Makes [address, address + bytes) of the host's own memory visible to kernels at that address. They do not
    /// count as used. Throws Error(launch) when a part of them is visible already.
    void adopt(std::uint64_t address, std::uint64_t bytes);
    /// Undoes adopt() at that address; throws Error(launch) when there was none.
    void disown(std::uint64_t address);
    /// The allocation that contains all of [address, address + bytes), if any.
    std::optional<Allocation> find(std::uint64_t address, std::uint64_t bytes) const;

    std::shared_ptr<AllocationMap const> map();
    /// Where an address outside all allocations lies: "4 bytes past the end of a 4096-byte allocation at 0x...".
    std::string describe(std::uint64_t address) const;
    /// Whether [address, address + bytes) lies in pages of this device that hold allocations: hardware lets kernels
    /// access it.
    bool is_in_used_pages(std::uint64_t address, std::uint64_t bytes) const;

private:
    void make_usable(std::uint64_t start, std::uint64_t bytes) const;
    std::uint64_t place(std::uint64_t bytes);
    std::vector<Allocation> used_pages() const;

    bool const whole_pages_, is_guarded_;
    mutable std::mutex mutex_;  // guards all members below
    std::uint64_t base_;
    std::uint64_t capacity_;
    std::uint64_t used_ = 0;
    std::uint64_t next_;  // the first address that was never handed out
    std::uint64_t end_;   // of the addresses that may be handed out
    std::map<std::uint64_t, Allocation> live_;
    std::set<std::uint64_t> adopted_;            // the start addresses in live_ that belong to the host
    std::map<std::uint64_t, Allocation> freed_;  // in quarantine
    std::vector<std::uint64_t> quarantine_;      // the start addresses of freed_, oldest first
    std::shared_ptr<AllocationMap const> map_;   // null when out of date
};

}  // namespace warpsim::sim
