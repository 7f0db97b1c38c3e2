// How another thread ends a launch that is under way.
#pragma once

#include "sim/fault_kind.hpp"

#include <atomic>
#include <string>

namespace warpsim::sim {

struct StopRequest {
    // These are written before it is made.
    FaultKind kind = FaultKind::time_limit;
    std::string what;  // "time limit"
    std::string why;   // "after 5 s (--timeout)"
    std::atomic<bool> is_made{false};

    bool is_on() const { return is_made.load(std::memory_order_acquire); }
};

}  // namespace warpsim::sim
