// Always the warp that began last.
#include "sim/timing/sm/warp_scheduler.hpp"

namespace warpsim::timing {

namespace {

class Youngest : public WarpScheduler {
public:
    unsigned pick(WarpMask eligible) override { return ages_.youngest(eligible); }
    void started(unsigned warp) override { ages_.start(warp); }
    void ended(unsigned) override {}

private:
    WarpAges ages_;
};

}  // namespace

void schedulers::youngest(plugin::Registry& all) {
    all.warp_scheduler("youngest", [](plugin::SchedulerSettings const&) { return std::make_unique<Youngest>(); });
}

}  // namespace warpsim::timing
