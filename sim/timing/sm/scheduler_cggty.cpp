// Greedy, then youngest, as NVIDIA's hardware does (HUE): the same warp as long as it can issue, then the
// youngest. What the compiler guides it with, the stall counts in control bits, is contained in the scoreboard's
// times here.
#include "sim/timing/sm/warp_scheduler.hpp"

namespace warpsim::timing {

namespace {

class Cggty : public WarpScheduler {
public:
    unsigned pick(WarpMask eligible) override {
        if ((eligible >> last_ & 1) == 0) last_ = ages_.youngest(eligible);
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

void schedulers::cggty(plugin::Registry& all) {
    all.warp_scheduler("cggty", [](plugin::SchedulerSettings const&) { return std::make_unique<Cggty>(); });
}

}  // namespace warpsim::timing
