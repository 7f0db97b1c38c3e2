#include "sim/timing/sm/warp_scheduler.hpp"

#include <stdexcept>

namespace warpsim::timing {

std::unique_ptr<WarpScheduler> make_scheduler(sim::SchedulerConfig const& config) {
#define WARPSIM_CHOICE(name) \
    if (config.policy == #name) return schedulers::name(config);
#include "sim/timing/sm/schedulers.inc"
#undef WARPSIM_CHOICE
    throw std::logic_error("the configuration names a warp scheduler without a file: " + config.policy);
}

}  // namespace warpsim::timing
