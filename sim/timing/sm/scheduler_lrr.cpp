// Loose round robin: the first warp after the last one that can issue.
#include "sim/timing/sm/warp_scheduler.hpp"

namespace warpsim::timing {

namespace {

class Lrr : public WarpScheduler {
public:
    unsigned pick(WarpMask eligible) override {
        WarpMask const after = last_ >= 63 ? 0 : eligible & ~WarpMask{0} << (last_ + 1);
        last_ = static_cast<unsigned>(std::countr_zero(after != 0 ? after : eligible));
        return last_;
    }
    void started(unsigned) override {}
    void ended(unsigned) override {}
    bool state(plugin::State& state) override {
        state(last_);
        return true;
    }

private:
    unsigned last_ = 63;
};

}  // namespace

void schedulers::lrr(plugin::Registry& all) {
    all.warp_scheduler("lrr", [](plugin::SchedulerSettings const&) { return std::make_unique<Lrr>(); });
}

}  // namespace warpsim::timing
