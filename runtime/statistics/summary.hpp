// Which kernels a run launched, how often, and how much time each took altogether.
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
    /// A table sorted by time, longest first: launches, warp instructions, time (simulated if there is one, else
    /// the host's). No newline at the end.
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
