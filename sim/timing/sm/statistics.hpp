// What one SM counted. Plain integers, added up over SMs in their order.
#pragma once

#include "sim/timing/plan/micro_op.hpp"
#include "sim/timing_statistics.hpp"

#include <array>
#include <cstdint>

namespace warpsim::timing {

struct L1Statistics {
    std::uint64_t load_requests = 0;  // warp instructions to global or local memory
    std::uint64_t store_requests = 0;
    std::uint64_t atomic_requests = 0;
    std::uint64_t load_sectors = 0;
    std::uint64_t store_sectors = 0;
    std::uint64_t atomic_sectors = 0;
    std::uint64_t sector_hits = 0;        // of loads: the data were here or on their way
    std::uint64_t tag_hits = 0;           // ... or at least the line: what profilers count as a hit
    std::uint64_t store_hits = 0;         // sectors of stores that were here
    std::uint64_t mshr_stall_cycles = 0;  // the pipeline waited for an MSHR or a place
    std::uint64_t shared_requests = 0;
    std::uint64_t shared_conflicts = 0;  // passes after the first
    std::uint64_t remote_requests = 0;   // to shared memory of other SMs
    std::uint64_t request_bytes = 0;     // into the interconnect
    std::uint64_t reply_bytes = 0;       // out of it
};

struct SmStatistics {
    std::uint64_t micro_ops = 0;
    std::uint64_t thread_micro_ops = 0;
    std::uint64_t instructions = 0;  // PTX
    std::array<std::uint64_t, micro_units> by_unit{};
    std::array<std::uint64_t, micro_units> unit_cycles{};  // that units were busy
    std::uint64_t tlb_hits = 0, tlb_misses = 0;
    std::uint64_t constant_loads = 0, constant_misses = 0;   // of the first cache
    std::array<std::uint64_t, sim::stall_reasons> stalls{};  // warp cycles
    std::uint64_t resident_warp_cycles = 0;
    std::uint64_t active_cycles = 0;   // with at least one warp
    std::uint64_t occupied_slots = 0;  // cycles of schedulers that had a warp
    L1Statistics l1;
};

}  // namespace warpsim::timing
