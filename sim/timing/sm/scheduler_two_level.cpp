// Two levels: a few active warps take turns. A warp that waits for memory gives its place to the oldest one that
// is ready.
#include "sim/timing/sm/warp_scheduler.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

class TwoLevel : public WarpScheduler {
public:
    explicit TwoLevel(std::uint32_t most) : most_(std::max(most, 1u)) {}
    unsigned pick(WarpMask eligible) override {
        for (WarpMask others = eligible & ~active_;
             others != 0 && static_cast<std::uint32_t>(std::popcount(active_)) < most_;) {
            unsigned const w = ages_.oldest(others);
            active_ |= WarpMask{1} << w;
            others &= ~(WarpMask{1} << w);
        }
        WarpMask here = eligible & active_;
        if (here == 0) {
            // Simplified: no active warp can issue for a short while; the hardware would leave the slot empty.
            here = eligible;
        }
        WarpMask const after = last_ >= 63 ? 0 : here & ~WarpMask{0} << (last_ + 1);
        last_ = static_cast<unsigned>(std::countr_zero(after != 0 ? after : here));
        return last_;
    }
    void started(unsigned warp) override { ages_.start(warp); }
    void ended(unsigned warp) override { active_ &= ~(WarpMask{1} << warp); }
    void waits(unsigned warp) override { ended(warp); }
    bool state(plugin::State& state) override {
        state(ages_, active_, last_);
        return true;
    }

private:
    std::uint32_t most_;
    WarpAges ages_;
    WarpMask active_ = 0;
    unsigned last_ = 63;
};

}  // namespace

void schedulers::two_level(plugin::Registry& all) {
    all.warp_scheduler("two_level", [](plugin::SchedulerSettings const& settings) {
        return std::make_unique<TwoLevel>(settings.active_warps);
    });
}

}  // namespace warpsim::timing
