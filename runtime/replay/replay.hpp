// Runs the launches of traces in timing mode.
#pragma once

#include "runtime/launch.hpp"
#include "sim/config/config.hpp"
#include "sim/statistics.hpp"

#include <functional>
#include <string>

namespace warpsim::replay {

struct ReplayOptions {
    runtime::DeviceOptions device;  // threads, profile, samples, and limits
    std::function<void(sim::LaunchStatistics const&)> launched;
    std::function<void(std::string const&)> warn;
};

/// `file` is a kernelslist.g, or the trace of one kernel. Throws Error.
void replay(std::string const& file, sim::Config const& config, ReplayOptions const& options);

}  // namespace warpsim::replay
