#include "sim/timing/sm/warp_scheduler.hpp"

namespace warpsim::timing {

std::unique_ptr<WarpScheduler> make_scheduler(sim::SchedulerConfig const& config) {
    switch (config.policy) {
        case sim::SchedulerPolicy::lrr: return make_lrr();
        case sim::SchedulerPolicy::gto: return make_gto();
        case sim::SchedulerPolicy::two_level: return make_two_level(config.active_warps);
        case sim::SchedulerPolicy::cggty: return make_cggty();
    }
    return make_cggty();
}

}  // namespace warpsim::timing
