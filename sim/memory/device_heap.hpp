// The heap from which kernels allocate with malloc: a part of global memory that outlives each kernel.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace warpsim::sim {

/// Safe to use from all host threads.
class DeviceHeap {
public:
    static constexpr std::uint64_t alignment = 16;  // bytes, as CUDA promises

    /// With `is_guarded`, a gap follows each block, and one that has been freed is not handed out again while there is other
    /// room: so describe() knows of every wrong address.
    DeviceHeap(std::uint64_t begin, std::uint64_t bytes, bool is_guarded = false);

    /// The address of `bytes` of uninitialised memory; 0 when they do not fit, or when no bytes are asked for.
    std::uint64_t allocate(std::uint64_t bytes);

    enum class Freed : std::uint8_t { now, before, never_allocated };
    /// What became of `address`; freeing 0 is always allowed.
    Freed free(std::uint64_t address);

    std::uint64_t used() const;  // bytes handed out, in whole allocation units

    /// Whether an address lies in the heap, handed out or not.
    bool owns(std::uint64_t address) const { return address - begin_ < bytes_; }
    bool overlaps(std::uint64_t low, std::uint64_t past_high) const {
        return low < begin_ + bytes_ && past_high > begin_;
    }
    /// Whether [address, address + bytes) lies in one block that is handed out.
    bool holds(std::uint64_t address, std::uint64_t bytes) const;
    /// Of an address for which that is not so: "0 bytes past the end of a 64-byte block of the device heap at 0x...".
    std::string describe(std::uint64_t address) const;

    struct Block {
        std::uint64_t bytes = 0;  // asked for
        std::uint64_t span = 0;   // that it takes
    };
    /// What is handed out. The bytes themselves are global memory.
    struct Ranges {
        std::map<std::uint64_t, std::uint64_t> free;  // size by address; adjacent ones are merged
        std::map<std::uint64_t, Block> used;
        std::map<std::uint64_t, Block> freed;  // blocks freed and not handed out again
        std::vector<std::uint64_t> kept;       // of a guarded heap: those whose room is not free yet, oldest first
    };
    /// A copy, and the way back to it.
    Ranges ranges() const;
    void restore(Ranges const& ranges);

private:
    std::uint64_t take_room(std::uint64_t span);
    void give_room(std::uint64_t begin, std::uint64_t span);

    std::uint64_t const begin_, bytes_;
    bool const is_guarded_;
    mutable std::mutex mutex_;
    Ranges ranges_;
};

}  // namespace warpsim::sim
