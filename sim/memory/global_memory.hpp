// The global memory of one device: which ranges are allocated, and where an address lies among them.
#pragma once

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

/// The allocations as they stood when a launch began, sorted; read without locks by all engine threads.
class AllocationMap {
public:
    explicit AllocationMap(std::vector<Allocation> sorted) : sorted_(std::move(sorted)) {}
    /// The allocation that holds `address`; null when none does.
    Allocation const* find(std::uint64_t address) const;

private:
    std::vector<Allocation> sorted_;
};

/// Its functions may be called from any thread. What a launch sees is the map() that it took when it began.
class GlobalMemory {
public:
    static constexpr std::uint64_t alignment = 512;

    explicit GlobalMemory(std::uint64_t capacity_bytes);
    ~GlobalMemory();
    GlobalMemory(GlobalMemory const&) = delete;
    GlobalMemory& operator=(GlobalMemory const&) = delete;

    std::uint64_t base() const { return base_; }
    /// Whether it is an address that this memory may give out, now or later.
    bool owns(std::uint64_t address) const;
    std::uint64_t capacity() const { return capacity_; }
    std::uint64_t used() const;

    /// Zeroed bytes at a 512-aligned address, with an unallocated gap behind them. Zero bytes take one. Throws
    /// Error(launch) when the capacity is exhausted.
    std::uint64_t allocate(std::uint64_t bytes);
    /// Addresses are not used again while the slot has untouched ones, so a use after free is always seen. Throws
    /// Error(launch) for an address that allocate() did not return or that was freed.
    void free(std::uint64_t address);
    /// Makes [address, address + bytes) of the host's own memory visible to kernels at that address, uncounted.
    /// Throws Error(launch) when a part of it is visible already.
    void adopt(std::uint64_t address, std::uint64_t bytes);
    /// Ends what adopt() began at that address; throws Error(launch) when nothing did.
    void disown(std::uint64_t address);
    /// The allocation that holds all of [address, address + bytes), if one does.
    std::optional<Allocation> find(std::uint64_t address, std::uint64_t bytes) const;

    std::shared_ptr<AllocationMap const> map();
    /// Where an address lies that no allocation holds: "4 bytes past the end of a 4096-byte allocation at 0x...".
    std::string describe(std::uint64_t address) const;

private:
    std::uint64_t place(std::uint64_t bytes);

    mutable std::mutex mutex_;  // guards all below it
    std::uint64_t base_;
    std::uint64_t capacity_;
    std::uint64_t used_ = 0;
    std::uint64_t next_;  // first address never handed out
    std::map<std::uint64_t, Allocation> live_;
    std::set<std::uint64_t> adopted_;            // begins of live_ that are the host's
    std::map<std::uint64_t, Allocation> freed_;  // in quarantine
    std::vector<std::uint64_t> quarantine_;      // begins of freed_, oldest first
    std::shared_ptr<AllocationMap const> map_;   // null when out of date
};

}  // namespace warpsim::sim
