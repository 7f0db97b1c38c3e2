// What the host has for the memory of simulated devices.
#pragma once

#include <cstdint>
#include <filesystem>

namespace warpsim::cuda {

/// Bytes that this process could still take without swapping, and without being ended by the limit of a container
/// it runs in. What cannot be found out sets no limit. `root` is where /proc and /sys are.
std::uint64_t available_host_memory(std::filesystem::path const& root = "/");

/// Bytes of this process that are in the host's memory.
std::uint64_t resident_memory(std::filesystem::path const& root = "/");

/// What is left of what a process could take when it began. Memory that it was promised is the host's until it is
/// touched, so that what is available now says nothing alone: of it is known what this process has taken, and so
/// what all others have.
class HostMemory {
public:
    explicit HostMemory(std::filesystem::path root = "/");
    /// Bytes that were available at the start.
    std::uint64_t most() const { return most_; }
    /// Of `unpromised` bytes, those that others have not taken since.
    std::uint64_t left_of(std::uint64_t unpromised) const;

private:
    std::filesystem::path root_;
    std::uint64_t most_, resident_at_start_;
};

}  // namespace warpsim::cuda
