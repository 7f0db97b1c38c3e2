// What ended a launch before its end, with who did it and where.
#pragma once

#include "runtime/check/findings/finding.hpp"
#include "sim/fault_kind.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpsim::check {

struct RecordedFault {
    FaultKind kind = FaultKind::deadlock;
    std::string what, details;  // as in sim::Fault
    std::string kernel;         // as it is called in PTX
    std::uint64_t launch = 0;   // of the process, from 0
    std::optional<Act> act;     // none of a fault of the whole grid
    std::uint32_t warp = 0, lane = 0;
    std::optional<std::uint32_t> sm;  // of timing mode
    std::string space;                // empty: it is about no address
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::optional<Finding::Allocation> allocation;  // that the address was probably meant for
};

/// As one JSON object over several lines.
std::string to_json(RecordedFault const& fault);

}  // namespace warpsim::check
