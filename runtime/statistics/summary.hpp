// Which kernels a run launched, how often, and what they took in all.
#pragma once

#include "sim/statistics.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace warpsim::statistics {

class Summary {
public:
    void add(sim::LaunchStatistics const& launch);
    bool is_empty() const { return kernels_.empty(); }
    /// A table, the kernel that took longest first: launches, warp instructions, time (simulated where it was,
    /// else the host's). No newline at the end.
    std::string text() const;

private:
    struct Kernel {
        std::uint64_t launches = 0;
        std::uint64_t instructions = 0;
        double seconds = 0;
    };
    std::map<std::string, Kernel> kernels_;  // by name as PTX has it
    bool is_timed_ = false;
};

}  // namespace warpsim::statistics
