// CTAs of a launch in timing mode that are not timed, as others say enough of them (--sample).
#pragma once

#include "runtime/launch_sinks.hpp"
#include "runtime/prepared_grid.hpp"
#include "sim/timing/sampler.hpp"

#include <cstdint>

namespace warpsim::runtime {

class SkippedCtas {
public:
    /// All of these live as long.
    SkippedCtas(Device::State& state, DeviceOptions const& options, PreparedGrid& grid)
        : state_(state), options_(options), grid_(grid) {}

    /// Executes clusters as functional mode does: timing::Sampling::run. `timed`: instructions that the launch has executed
    /// otherwise.
    timing::SkippedCtas run(std::uint64_t first, std::uint64_t most, std::uint64_t timed);
    /// Adds what they have counted, and functional mode can count.
    void add_to(LaunchResult& result) const;

private:
    Device::State& state_;
    DeviceOptions const& options_;
    PreparedGrid& grid_;
    sim::LaunchStatistics counted_;
};

}  // namespace warpsim::runtime
