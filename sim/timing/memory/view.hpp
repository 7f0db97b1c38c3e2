// Caches, queues and DRAM as they are between two cycles, for those who look: copies, through which nothing changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::timing {

/// What waits somewhere, or is in flight.
struct QueueView {
    std::string name;
    std::uint64_t used = 0;
    std::uint64_t limit = 0;  // 0: there is none
};

/// The masks have a bit for each sector.
struct CachedLine {
    std::uint32_t way = 0;
    std::uint64_t address = 0;
    std::uint8_t valid = 0, dirty = 0;
    std::uint8_t partial = 0;  // partly written, not read
    std::uint8_t pending = 0;  // in flight
    std::uint32_t order = 0;   // 0: the first to be replaced; 1 the next
    bool has_order = false;    // else the policy knows none
};

struct CacheView {
    std::uint32_t sets = 0, ways = 0;
    std::vector<std::uint32_t> used;  // lines of each set
};

struct SliceView {
    std::uint32_t number = 0;
    std::vector<QueueView> queues;
    bool waits_for_fill = false;  // its first request does
    bool waits_for_dram = false;
};

struct DramView {
    std::vector<QueueView> queues;
    bool is_writing = false;  // the bus
    struct Bank {
        std::uint32_t number = 0;
        bool has_row = false;
        std::uint64_t row = 0;      // the open one
        std::uint32_t waiting = 0;  // requests
    };
    std::vector<Bank> banks;  // with an open row or requests
};

/// A DRAM channel and the slices in front of it.
struct PartitionView {
    std::vector<SliceView> slices;
    DramView dram;
};

}  // namespace warpsim::timing
