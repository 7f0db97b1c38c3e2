// Who carries out the launches of functional mode in place of the engine alone: a debugger, which repeats them.
#pragma once

#include "sim/exec/plan.hpp"
#include "sim/functional/functional_run.hpp"
#include "sim/statistics.hpp"

namespace warpsim::runtime {

class LaunchRunner {
public:
    virtual ~LaunchRunner() = default;
    /// Does what sim::run_functional() does, in the end.
    virtual void run(sim::LaunchContext const& launch, sim::FunctionalOptions const& options,
                     sim::SymbolAddresses const& symbols, sim::LaunchStatistics& statistics) = 0;
};

}  // namespace warpsim::runtime
