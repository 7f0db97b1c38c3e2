// The messages between SMs of a cluster.
#pragma once

#include "sim/timing/sm/deferred_effects.hpp"

#include <cstdint>
#include <memory>

namespace warpsim::timing {

/// An operation of one CTA on an mbarrier of another, or on its own mbarrier when copies are complete.
struct MbarrierArrival {
    sim::Cluster* cluster = nullptr;
    sim::MbarrierUpdate update;
    sim::Culprit by;
    std::uint64_t linear = 0;  // of the CTA whose mbarrier it is
    GridNumber grid = 0;
};

/// Cycles of an operation of the matrix unit.
struct WorkCycles {
    Cycle work = 1;   // until it is done
    Cycle unit = 1;   // until the unit can begin another
    Cycle first = 0;  // in which operands are read before it begins
    Cycle banks = 0;  // of shared memory, for all operands
};

struct SmMessage {
    enum class Kind : std::uint8_t { request, reply, arrival, landing, work };
    Kind kind = Kind::request;
    std::uint32_t token = UINT32_MAX;  // of the requesting SM, returned with the reply; none: no reply
    std::uint32_t passes = 1;          // of the banks
    std::uint32_t bytes = 0;           // of the reply
    WorkCycles work;
    GridNumber grid = 0;
    std::shared_ptr<MbarrierArrival> arrival;
    std::shared_ptr<Transfer> transfer;
};

}  // namespace warpsim::timing
