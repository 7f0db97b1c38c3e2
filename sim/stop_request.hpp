// How another thread ends a launch that is under way.
#pragma once

#include <atomic>
#include <string>

namespace warpsim::sim {

struct StopRequest {
    std::string why;  // "after 5 s (--timeout)"; written before it is made
    std::atomic<bool> is_made{false};
};

}  // namespace warpsim::sim
