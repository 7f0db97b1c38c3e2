// The heap from which kernels allocate with malloc: a part of global memory that outlives each kernel.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>

namespace warpsim::sim {

/// Safe to use from all host threads.
class DeviceHeap {
public:
    static constexpr std::uint64_t alignment = 16;  // bytes, as CUDA promises

    DeviceHeap(std::uint64_t begin, std::uint64_t bytes);

    /// The address of `bytes` of uninitialised memory; 0 when they do not fit, or when no bytes are asked for.
    std::uint64_t allocate(std::uint64_t bytes);

    enum class Freed : std::uint8_t { now, before, never_allocated };
    /// What became of `address`; freeing 0 is always allowed.
    Freed free(std::uint64_t address);

    std::uint64_t used() const;  // bytes handed out, in whole allocation units

    /// What is handed out. The bytes themselves are global memory.
    struct Ranges {
        std::map<std::uint64_t, std::uint64_t> free;  // size by address; adjacent ones are merged
        std::map<std::uint64_t, std::uint64_t> used;
        std::set<std::uint64_t> freed;  // addresses freed and not handed out again
    };
    /// A copy, and the way back to it.
    Ranges ranges() const;
    void restore(Ranges const& ranges);

private:
    mutable std::mutex mutex_;
    Ranges ranges_;
};

}  // namespace warpsim::sim
