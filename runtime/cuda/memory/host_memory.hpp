// How much memory the host has for simulated devices.
#pragma once

#include <cstdint>
#include <filesystem>

namespace warpsim::cuda {

/// Bytes that this process could still take without swapping, and without exceeding the limit of its container.
/// What cannot be determined sets no limit. `root` is where /proc and /sys are.
std::uint64_t available_host_memory(std::filesystem::path const& root = "/");

/// Bytes of this process that are resident in the host's memory.
std::uint64_t resident_memory(std::filesystem::path const& root = "/");

/// How much of the memory that was available when the process began is left. Promised memory takes no pages until
/// it is touched, so the amount available now says too little; subtracting what this process has touched tells how
/// much other processes have taken since.
class HostMemory {
public:
    explicit HostMemory(std::filesystem::path root = "/");
    /// Bytes that were available at the start.
    std::uint64_t most() const { return most_; }
    /// How many of `unpromised` bytes other processes have not taken since.
    std::uint64_t left_of(std::uint64_t unpromised) const;

private:
    std::filesystem::path root_;
    std::uint64_t most_, resident_at_start_;
};

}  // namespace warpsim::cuda
