// Who takes part in carrying out launches: a debugger, which repeats those of functional mode and looks at the cycles of
// timing mode.
#pragma once

#include "sim/exec/plan.hpp"
#include "sim/functional/functional_run.hpp"
#include "sim/statistics.hpp"
#include "sim/timing/view.hpp"

#include <memory>

namespace warpsim::runtime {

class LaunchRunner {
public:
    virtual ~LaunchRunner() = default;
    /// Does what sim::run_functional() does, in the end. `owner` keeps all that the launch refers to, for one that runs again
    /// after its end.
    virtual void run(sim::LaunchContext const& launch, sim::FunctionalOptions const& options,
                     sim::SymbolAddresses const& symbols, sim::LaunchStatistics& statistics,
                     std::shared_ptr<void const> owner) = 0;
    /// A launch of timing mode begins, which the engine carries out.
    virtual void timed_launch(sim::LaunchContext const& launch, sim::SymbolAddresses const& symbols) = 0;
    /// Who looks at the GPU of timing mode; null: nobody.
    virtual timing::GpuObserver* gpu_observer() = 0;
};

}  // namespace warpsim::runtime
