// A plug-in for runs that are kept: a scheduler that tells its state, and components that do not.
#include "sim/plugin/plugin.hpp"

namespace {

using namespace warpsim::plugin;

/// Takes the warps in turn, beginning somewhere else each time; so what it remembers matters.
class Remembers : public WarpScheduler {
public:
    unsigned pick(WarpMask eligible) override {
        do last_ = (last_ + ++steps_[last_ % 4] * 7) % 64;
        while ((eligible >> last_ & 1) == 0);
        return last_;
    }
    void started(unsigned warp) override { order_.push_back(warp); }
    void ended(unsigned warp) override { last_ = warp; }
    bool state(State& state) override {
        state(last_, steps_, order_);
        return true;
    }

private:
    unsigned last_ = 0;
    std::array<unsigned, 4> steps_{};
    std::vector<unsigned> order_;
};

class Forgets : public WarpScheduler {
public:
    unsigned pick(WarpMask eligible) override {
        unsigned warp = 0;
        while ((eligible >> warp & 1) == 0) ++warp;
        return warp;
    }
    void started(unsigned) override {}
    void ended(unsigned) override {}
};

class ForgetsLines : public Prefetcher {
public:
    void loaded(LineLoad const& load, std::vector<std::uint64_t>& wanted) override {
        wanted.push_back(load.line + 1);
    }
};

class ForgetsLinks : public Topology {
public:
    Cycle delay(Packet const&) override { return 1; }
};

}  // namespace

WARPSIM_PLUGIN(registry) {
    registry.warp_scheduler("remembers", [](SchedulerSettings const&) { return std::make_unique<Remembers>(); });
    registry.warp_scheduler("forgets", [](SchedulerSettings const&) { return std::make_unique<Forgets>(); });
    registry.prefetcher("forgets", [](PrefetcherSettings const&) { return std::make_unique<ForgetsLines>(); });
    registry.topology("forgets", [](TopologySettings const&) { return std::make_unique<ForgetsLinks>(); });
}
