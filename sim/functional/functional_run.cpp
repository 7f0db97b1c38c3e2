#include "sim/functional/functional_run.hpp"

#include "sim/functional/host_threads.hpp"

namespace warpsim::sim {

std::uint64_t run_functional(LaunchContext const& launch, FunctionalOptions const& options,
                             LaunchStatistics& statistics) {
    HostThreads threads(launch, options);
    threads.run();
    threads.finish(statistics);
    return threads.schedule.past();
}

}  // namespace warpsim::sim
