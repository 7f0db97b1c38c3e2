// Which kernels a run launched, how often, how much time each took altogether, and what limits it.
#pragma once

#include "runtime/statistics/light.hpp"
#include "sim/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace warpsim::statistics {

class Summary {
public:
    explicit Summary(Peaks peaks = {}) : peaks_(std::move(peaks)) {}
    void add(sim::LaunchStatistics const& launch);
    bool is_empty() const { return kernels_.empty(); }
    /// A table sorted by time (simulated if there is one, else the host's), longest first, in lines of at most `width`
    /// characters: where that is too narrow, the columns that tell least are left out. No newline at the end.
    std::string text(std::size_t width) const;

    struct Kernel {
        std::uint64_t launches = 0;
        sim::InstructionCounts instructions;
        double seconds = 0;
        bool is_projected = false;                // cycles of some launches were (--sample)
        std::optional<sim::TimingCounts> timing;  // of all timed launches together
    };

private:
    std::map<std::string, Kernel> kernels_;  // by name as PTX has it
    Peaks peaks_;
    bool is_timed_ = false;
    bool has_energy_ = false;
};

}  // namespace warpsim::statistics
