// The counts of one SM. Plain integers, added up over SMs in their order.
#pragma once

#include "sim/timing/plan/micro_op.hpp"
#include "sim/timing_statistics.hpp"

#include <array>
#include <cstdint>

namespace warpsim::timing {

/// What the data path of an SM counts.
struct DataPathStatistics : sim::L1Counts {
    sim::NocCounts noc;
};

struct SmStatistics : sim::SmCounts {
    std::uint64_t instructions = 0;  // PTX
    std::array<std::uint64_t, micro_units> by_unit{};
    std::array<std::uint64_t, micro_units> unit_cycles{};  // in which units were busy
};

}  // namespace warpsim::timing
