// What SMs and L2 slices tell each other. Times are core cycles.
#pragma once

#include <cstdint>

namespace warpsim::timing {

enum class RequestKind : std::uint8_t { read, write, atomic };

/// From an SM to the slice that serves the line.
struct MemoryRequest {
    std::uint64_t line = 0;   // address / 128
    std::uint32_t token = 0;  // of the SM, comes back with the reply
    RequestKind kind = RequestKind::read;
    std::uint8_t sectors = 0;
    std::uint8_t covered = 0;  // of a write: sectors of which every byte is written
    std::uint8_t turns = 1;    // of an atomic: the most operations on one address
};

/// Back to the SM: data of a read or atomic, or that a write was taken.
struct MemoryReply {
    std::uint32_t token = 0;
    RequestKind kind = RequestKind::read;
    std::uint8_t sectors = 0;
};

}  // namespace warpsim::timing
