// Greedy, then oldest: the same warp as long as it can issue, then the oldest.
#include "sim/timing/sm/warp_scheduler.hpp"

namespace warpsim::timing {

namespace {

class Gto : public WarpScheduler {
public:
    unsigned pick(WarpMask eligible) override {
        if ((eligible >> last_ & 1) == 0) last_ = ages_.oldest(eligible);
        return last_;
    }
    void started(unsigned warp) override { ages_.start(warp); }
    void ended(unsigned) override {}
    bool state(plugin::State& state) override {
        state(ages_, last_);
        return true;
    }

private:
    WarpAges ages_;
    unsigned last_ = 0;
};

}  // namespace

void schedulers::gto(plugin::Registry& all) {
    all.warp_scheduler("gto", [](plugin::SchedulerSettings const&) { return std::make_unique<Gto>(); });
}

}  // namespace warpsim::timing
