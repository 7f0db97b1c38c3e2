// The messages between SMs and L2 slices. Times are core cycles.
#pragma once

#include <cstdint>

namespace warpsim::timing {

/// Of a grid that is resident on the GPU: what is done for it is counted under this.
using GridNumber = std::uint8_t;
/// What is done for copies of the host.
inline constexpr GridNumber of_copies = 255;

enum class RequestKind : std::uint8_t { read, write, atomic };

/// From an SM or a copy engine to the slice that serves the line.
struct MemoryRequest {
    std::uint64_t line = 0;   // address / 128
    std::uint32_t token = 0;  // chosen by the sender, returned with the reply
    RequestKind kind = RequestKind::read;
    std::uint8_t sectors : 4 = 0;
    std::uint8_t covered : 4 = 0;  // of a write: sectors in which every byte is written
    std::uint8_t turns = 1;        // of an atomic: the most operations on one address
    GridNumber grid = 0;           // whose it is

    template <class Archive> void state(Archive& archive) {
        std::uint8_t touched = sectors, whole = covered;  // nothing refers to a few bits
        archive(line, token, kind, touched, whole, turns, grid);
        sectors = touched & 0xfu;
        covered = whole & 0xfu;
    }
};
static_assert(sizeof(MemoryRequest) == 16);  // a run moves many of them

/// Back to the SM: the data of a read or atomic, or the acknowledgement of a write.
struct MemoryReply {
    std::uint32_t token = 0;
    RequestKind kind = RequestKind::read;
    std::uint8_t sectors = 0;
    GridNumber grid = 0;
    std::uint8_t slice = 0;  // of the partition
};
static_assert(sizeof(MemoryReply) == 8);

}  // namespace warpsim::timing
